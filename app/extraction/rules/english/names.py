"""The words by which the rules tell names from adjectives and offices."""

import re

from app.extraction.rules.english.lexicon import DEMONYMS, HONORIFICS, ROLES
from app.extraction.rules.english.nations import COUNTRY_OF
from app.scoring.stop_words import word_set

NATIONAL = DEMONYMS | COUNTRY_OF.keys() | {"arabian"}
"""Adjectives of nations and peoples."""
POINTS = word_set("north south east west central")
ADJECTIVE_ENDS = ("ian", "ean", "ese", "ish", "istic", "ical", "ic", "ern", "can", "ior")
"""A capital word that ends so, before a noun in lower case, describes it."""
COMPOUND = re.compile(
    r".+-(?:speaking|based|born|language|style|era|like|type|wide|only|level|made|built|friendly|compatible"
    r"|specific|led|owned|trained|inspired|themed|backed|controlled|occupied|held|free|dominated|sponsored|winning)"
)
"""What stands behind the hyphen makes an adjective of the name: "German-speaking", "Baltimore-based"."""
BODIES = word_set("""
    service railway railroad department commission agency council board authority administration bureau
    committee association university college institute company corporation office ministry conference union
""")
"""The last word of a name whose halves "and" may join: "Fish and Wildlife Service"."""
OFFICIALS = word_set("minister governor mayor senator ambassador chancellor premier judge")
""""Chief Minister of Maharashtra" holds an office; "Duke of York" is a name."""
OFFICES = ROLES | HONORIFICS | word_set("prime vice deputy first managing assistant general")
"""A name of nothing but these is an office."""
STATES = word_set("republic kingdom states union empire commonwealth")
"""A country's name goes on behind these: "the Federal Republic of Germany"."""
LANGUAGES = word_set(
    "hindi tamil telugu malayalam kannada bengali punjabi marathi urdu cantonese mandarin hebrew"
)
"""With an adjective of nation before them these describe: "an Indian Hindi film"."""
NO_NAMES = word_set("""
    anglo lowest highest largest biggest smallest longest oldest youngest younger elder
    member members baronet knight chevalier esquire presidential federal national royal imperial
    regional municipal congressional senatorial gubernatorial provincial colonial medieval classical
    modern contemporary parliament diocese province republic commonwealth constitution cabinet
    treasury western eastern northern southern interim acting incumbent deputy honorary supreme
    grand
""")
"""Words that are written with a capital as part of longer names, and name nothing by themselves."""

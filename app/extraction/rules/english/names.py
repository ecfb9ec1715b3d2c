"""The words by which the rules tell names from adjectives and offices."""

import re

from app.domain.scoring.stop_words import word_set
from app.extraction.rules.english.lexicon import DEMONYMS, HONORIFICS, ROLES
from app.extraction.rules.english.nations import COUNTRY_OF

NATIONAL = (
    DEMONYMS
    | COUNTRY_OF.keys()
    | word_set("arabian flemish walloon catalan basque bavarian saxon sicilian pictish gaelic slavic")
)
"""Adjectives of nations and peoples."""
POINTS = word_set("north south east west central")
ADJECTIVE_ENDS = ("ian", "ean", "ese", "ish", "istic", "ical", "ic", "ern", "can", "ior")
"""A capital word that ends so, before a noun in lower case, describes it."""
COMPOUND = re.compile(
    r".+-(?:speaking|based|born|language|style|era|like|type|wide|only|level|made|built|friendly|compatible"
    r"|specific|led|owned|trained|inspired|themed|backed|controlled|occupied|held|free|dominated|sponsored|winning"
    r"|nominated|selling|owned|produced|affiliated|educated|related|area|wide)"
)
"""What stands behind the hyphen makes an adjective of the name: "German-speaking", "Baltimore-based"."""
BODIES = word_set("""
    service railway railroad department commission agency council board authority administration bureau
    committee association university college institute company corporation office ministry conference union
""")
"""The last word of a name whose halves "and" may join: "Fish and Wildlife Service"."""
OFFICIALS = word_set("minister governor mayor senator ambassador chancellor premier judge")
""""Chief Minister of Maharashtra" holds an office; "Duke of York" is a name."""
OFFICES = (
    ROLES
    | HONORIFICS
    | word_set("""
        prime vice deputy first managing assistant general hereditary crown attorney lieutenant solicitor
        director-general secretary-general vice-president commander-in-chief
        executive officer acting interim undersecretary commissioner high lord
    """)
)
"""A name of nothing but these is an office."""
STATES = word_set("republic kingdom states union empire commonwealth")
"""A country's name goes on behind these: "the Federal Republic of Germany"."""
OFFICERS = word_set("minister ministers secretary undersecretary")
"""Whoever they are "of" or "for" is an office's field and no thing: "Minister of Defense"."""
HEADS_OF_GOVERNMENT = word_set("prime chief first")
"""Behind these a minister is one of a place."""
OCCUPATIONS = word_set("""
    commissioner superintendent inspector constable generalissimo wrestler boxer pugilist sprinter cyclist
    swimmer shooter guitarist bassist drummer pianist violinist saxophonist vocalist rapper singer songwriter
    actor actress comedian novelist playwright poet historian mathematician physicist chemist
    biologist astronomer psychologist economist sociologist philosopher theologian politician senator
    congressman congresswoman assemblyman councilman footballer cricketer golfer quarterback goalkeeper
    filmmaker screenwriter cinematographer choreographer photographer journalist broadcaster
    entrepreneur businessman philanthropist
    welshman welshwoman englishman irishman scotsman frenchman dutchman
    lawyer attorney explorer missionary composer conductor sculptor cartoonist
""")
"""Of a name behind one of these it is no part, whatever the name: "Wrestler Sushil Kumar"."""
FAMILY_AND_ROYALTY = word_set("""
    king queen prince princess emperor empress pope saint st sir dame lord lady father mother brother sister
    son daughter man woman boy girl model fellow graduate character mr mrs ms miss
""")
"""Words for people that are part of many a name and title."""
NOBILITY = word_set(
    "duke duchess prince princess count countess earl margrave landgrave marquess baron baroness"
)
"""Behind a comma and before "of" these go on with somebody's name."""
HIGH = word_set("hereditary crown grand")
"""These may stand before such a title."""
POSSESSORS = word_set("""
    children women men woman child people year years king queen farmers mother father valentine veterans
    workers players writers critics artists ladies girls boys teachers world
""")
"""A name goes on behind their possessive: "New Year's Eve", "Children's Book Award"."""
EPITHETS = word_set("""
    great terrible elder younger warrior conqueror bold bald wise magnificent pious good fair pooh barbarian
    destroyer hunter giant impaler confessor unready apostate grouch explorer builder menace baptist
""")
"""A name goes on behind "the" with these: "Phoenix the Warrior"."""
INQUIRIES = word_set("commission inquiry")
"""A name goes on behind these with what they look into."""
PRIZED = word_set("best outstanding")
"""With these begins what an award is for: "Outstanding Actress in a Musical"."""
POSSESSED = word_set("raid rebellion diner restaurant sermons theorem syndrome paradox cathedral bakery")
"""With whom they belong to these are a name, as words for kinds of things are: "Price's Raid"."""
ON_HEADS = word_set("night fiddler murder nightmare house mutiny assault live attack walk")
"""A title goes on behind these and "on": "Night on Bald Mountain"."""
FIRMS_BEHIND_AND = word_set("co co. company sons son brothers bros bros. associates resorts")
""""J. Lyons and Co." is one name."""
JOINED_PLACES = frozenset(
    {
        ("antigua", "barbuda"),
        ("bosnia", "herzegovina"),
        ("trinidad", "tobago"),
        ("kitts", "nevis"),
        ("pierre", "miquelon"),
        ("tomé", "príncipe"),
        ("tome", "principe"),
        ("turks", "caicos"),
        ("wallis", "futuna"),
        ("akrotiri", "dhekelia"),
        ("jammu", "kashmir"),
        ("newfoundland", "labrador"),
        ("tyne", "wear"),
    }
)
"""The words on both sides of "and" in the name of one place."""
ADMINISTRATIVE = word_set("""
    autonomous special rural urban administrative metropolitan federal unincorporated trust crown overseas
    royal london municipal judicial historic historical improvement electoral regional local
""")
"""They name no place with the word behind them: "the Autonomous Region of Madeira" goes on."""
ADJECTIVE_PREFIXES = word_set("franco anglo sino indo hiberno afro greco russo austro italo judeo serbo -")
"""Before an adjective of nation they make another of it: "Franco-Flemish"."""
PREFIXES = word_set("then ex non anti pro pre post mid vice self co former all inter intra trans multi semi")
"""In lower case before a hyphen they make no name: "the then-Governor", "non-American"."""
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
    women men op opus type charter eve obe mbe cbe kbe dbe dj house opposition interior east west
    upper lower research census zip exchequer all-star hon hon. office offices
""")
"""Words that are written with a capital as part of longer names, and name nothing by themselves."""

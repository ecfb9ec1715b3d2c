"""Words by which the rules distinguish names from adjectives and offices."""

import re

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.lexicon import DEMONYMS, HONORIFICS, ROLES
from app.extraction.rules.english.nations import COUNTRY_BY_ADJECTIVE

NATIONAL_ADJECTIVES = (
    DEMONYMS
    | COUNTRY_BY_ADJECTIVE.keys()
    | split_into_word_set(
        "arabian flemish walloon catalan basque bavarian saxon sicilian pictish gaelic slavic"
    )
)
"""Adjectives of nations and peoples."""
COMPASS_POINTS = split_into_word_set("north south east west central")
ADJECTIVE_ENDS = ("ian", "ean", "ese", "ish", "istic", "ical", "ic", "ern", "can", "ior")
"""Endings of capitalised adjectives, which modify a lower-case noun after them."""
COMPOUND_ADJECTIVE = re.compile(
    r".+-(?:speaking|based|born|language|style|era|like|type|wide|only|level|made|built|friendly|compatible"
    r"|specific|led|owned|trained|inspired|themed|backed|controlled|occupied|held|free|dominated|sponsored|winning"
    r"|nominated|selling|owned|produced|affiliated|educated|related|area|wide)"
)
"""Second parts of hyphenated adjectives formed from a name: "German-speaking", "Baltimore-based"."""
LAST_WORDS_OF_BODIES = split_into_word_set("""
    service railway railroad department commission agency council board authority administration bureau
    committee association university college institute company corporation office ministry conference union
""")
"""Last words of names with an internal "and": "Fish and Wildlife Service"."""
OFFICIALS = split_into_word_set("minister governor mayor senator ambassador chancellor premier judge")
"""Titles of office holders: "Chief Minister of Maharashtra" is an office, "Duke of York" a name."""
WORDS_OF_OFFICES = (
    ROLES
    | HONORIFICS
    | split_into_word_set("""
        prime vice deputy first managing assistant general hereditary crown attorney lieutenant solicitor
        director-general secretary-general vice-president commander-in-chief
        executive officer acting interim undersecretary commissioner high lord
    """)
)
"""A name that consists of these words only is an office."""
STATE_NOUNS = split_into_word_set("republic kingdom states union empire commonwealth")
"""Words after which a country's name continues: "the Federal Republic of Germany"."""
OFFICERS = split_into_word_set("minister ministers secretary undersecretary")
"""Officers after whom "of" or "for" introduces their portfolio, not a thing: "Minister of Defense"."""
HEADS_OF_GOVERNMENT = split_into_word_set("prime chief first")
"""Words before "minister" of a place."""
OCCUPATIONS = split_into_word_set("""
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
"""Occupations before a person's name that are not part of it: "Wrestler Sushil Kumar"."""
FAMILY_AND_ROYALTY = split_into_word_set("""
    king queen prince princess emperor empress pope saint st sir dame lord lady father mother brother sister
    son daughter man woman boy girl model fellow graduate character mr mrs ms miss
""")
"""Words for people that are part of many names and titles."""
NOBILITY = split_into_word_set(
    "duke duchess prince princess count countess earl margrave landgrave marquess baron baroness"
)
"""Titles after a comma and before "of" that continue a person's name."""
NOBILITY_PREFIXES = split_into_word_set("hereditary crown grand")
"""Words that may precede such a title."""
POSSESSORS = split_into_word_set("""
    children women men woman child people year years king queen farmers mother father valentine veterans
    workers players writers critics artists ladies girls boys teachers world
""")
"""Words after whose possessive a name continues: "New Year's Eve", "Children's Book Award"."""
EPITHETS = split_into_word_set("""
    great terrible elder younger warrior conqueror bold bald wise magnificent pious good fair pooh barbarian
    destroyer hunter giant impaler confessor unready apostate grouch explorer builder menace baptist
""")
"""Words that continue a name after "the": "Phoenix the Warrior"."""
INQUIRY_NOUNS = split_into_word_set("commission inquiry")
"""Bodies whose name continues with the subject of their inquiry."""
AWARD_CATEGORY_ADJECTIVES = split_into_word_set("best outstanding")
"""First words of an award's category: "Outstanding Actress in a Musical"."""
POSSESSED_NOUNS = split_into_word_set(
    "raid rebellion diner restaurant sermons theorem syndrome paradox cathedral bakery"
)
"""Nouns that form a name with their possessor, as words for kinds of things do: "Price's Raid"."""
ON_HEADS = split_into_word_set("night fiddler murder nightmare house mutiny assault live attack walk")
"""Nouns after which "on" continues a title: "Night on Bald Mountain"."""
FIRMS_AFTER_AND = split_into_word_set("co co. company sons son brothers bros bros. associates resorts")
"""Words after "and" that continue a company's name: "J. Lyons and Co."."""
PLACE_NAMES_WITH_AND = frozenset(
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
"""Pairs of words around "and" in the name of one place."""
ADMINISTRATIVE_ADJECTIVES = split_into_word_set("""
    autonomous special rural urban administrative metropolitan federal unincorporated trust crown overseas
    royal london municipal judicial historic historical improvement electoral regional local
""")
"""Words that form no place name with the next word: "the Autonomous Region of Madeira" is longer."""
ADJECTIVE_PREFIXES = split_into_word_set(
    "franco anglo sino indo hiberno afro greco russo austro italo judeo serbo -"
)
"""Prefixes of a compound adjective of nationality: "Franco-Flemish"."""
PREFIXES_OF_NO_NAME = split_into_word_set(
    "then ex non anti pro pre post mid vice self co former all inter intra trans multi semi"
)
"""Lower-case prefixes before a hyphen that form no name: "the then-Governor", "non-American"."""
LANGUAGES = split_into_word_set(
    "hindi tamil telugu malayalam kannada bengali punjabi marathi urdu cantonese mandarin hebrew"
)
"""Languages that form a description with an adjective of nationality before them: "an Indian Hindi film"."""
CAPITALISED_WORDS_OF_NO_NAME = split_into_word_set("""
    anglo lowest highest largest biggest smallest longest oldest youngest younger elder
    member members baronet knight chevalier esquire presidential federal national royal imperial
    regional municipal congressional senatorial gubernatorial provincial colonial medieval classical
    modern contemporary parliament diocese province republic commonwealth constitution cabinet
    treasury western eastern northern southern interim acting incumbent deputy honorary supreme
    grand
    women men op opus type charter eve obe mbe cbe kbe dbe dj house opposition interior east west
    upper lower research census zip exchequer all-star hon hon. office offices
""")
"""Words that are capitalised as part of longer names and name nothing by themselves."""

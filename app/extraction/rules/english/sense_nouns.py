"""The nouns by which a text says which of several things of one name is meant, one kind to a row.

Two kinds are two things: no planet is a metal. Where one thing may well be called both, the pair stands in
`MAY_BE_BOTH`. A kind that many people are several of at once (actor, politician) is not listed: it tells
nobody apart.
"""

from app.domain.scoring.stop_words import word_set

KINDS: dict[str, tuple[str, ...]] = {
    "planet": ("planet", "dwarf planet"),
    "star": ("star system", "constellation"),
    "moon": ("moon", "asteroid", "comet"),
    "metal": ("metal", "element", "chemical element", "mineral", "gemstone"),
    "deity": ("god", "goddess", "deity", "titan", "nymph", "mythology", "demigod"),
    "country": ("country", "nation", "republic", "sovereign state"),
    "U.S. state": ("us state", "american state"),
    "city": (
        "city", "town", "village", "municipality", "capital", "capital city", "suburb", "settlement",
        "seaside town", "port city",
    ),
    "river": ("river", "stream", "tributary"),
    "lake": ("lake", "reservoir"),
    "mountain": ("mountain", "volcano", "peak"),
    "island": ("island", "islet", "archipelago"),
    "company": (
        "company", "corporation", "manufacturer", "retailer", "airline", "startup", "bank", "subsidiary",
    ),
    "university": ("university", "college"),
    "newspaper": ("newspaper", "magazine", "journal"),
    "band": ("band", "rock band", "pop group", "musical group", "orchestra"),
    "film": ("film", "movie", "documentary"),
    "novel": ("novel", "book", "poem", "short story"),
    "play": ("opera", "musical", "ballet"),
    "album": ("album", "studio album"),
    "song": ("song", "hit single"),
    "television series": ("television series", "tv series", "sitcom"),
    "video game": ("video game", "computer game"),
    "programming language": ("programming language", "scripting language"),
    "database": ("database", "database system", "database management system"),
    "spacecraft": ("spacecraft", "satellite", "space probe", "rocket"),
    "ship": ("ship", "frigate", "ocean liner", "submarine"),
    "animal": ("snake", "bird", "fish", "cat", "mammal", "insect", "reptile", "animal"),
    "plant": ("plant", "fruit", "tree", "flower", "herb"),
    "football club": ("football club", "sports team", "baseball team", "basketball team", "soccer club"),
    "athlete": (
        "basketball player", "footballer", "football player", "tennis player", "cricketer", "boxer",
        "baseball player", "athlete", "swimmer", "cyclist", "ice hockey player", "sprinter", "golfer",
        "basketball star",
    ),
    "scientist": (
        "scientist", "computer scientist", "statistician", "mathematician", "physicist", "chemist",
        "biologist", "astronomer", "geologist",
    ),
}  # fmt: skip
"""Kind → the nouns, normalised, that say it. The kind itself is shown in brackets behind the name."""

MAY_BE_BOTH = frozenset(
    frozenset(pair.split(" / "))
    for pair in (
        "city / country",
        "city / island",
        "city / river",
        "country / island",
        "island / U.S. state",
        "island / mountain",
        "river / lake",
        "moon / deity",
        "star / deity",
        "company / newspaper",
        "company / database",
        "company / television series",
        "database / programming language",
        "film / television series",
        "novel / play",
        "play / film",
        "spacecraft / ship",
        "band / album",
        "album / song",
        "city / football club",
        "company / football club",
    )
)
"""A city may be a country, a club may bear its city's name: these pairs of kinds decide nothing."""

PLACES_AFTER_OF = {
    "country": "country",
    "republic": "country",
    "us state": "U.S. state",
    "city": "city",
    "town": "city",
    "village": "city",
    "island": "island",
}
"""Nouns that stand before a name with "of", and their kinds: "the island of Java"."""

HEAD_ENDS = word_set("""
    of in on at by for from with to that which who whose where when and or is was are were as near off
    between located situated known based founded
""")
"""At these a noun phrase has said what its thing is."""

STATES = word_set("""
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho
    illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota
    mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah
    vermont virginia washington wisconsin wyoming
""") | {"new york", "new jersey", "new mexico", "new hampshire", "north carolina", "south carolina",
        "north dakota", "south dakota", "west virginia", "rhode island"}  # fmt: skip
COUNTRIES = word_set("""
    argentina australia austria belgium brazil canada chile china colombia cuba denmark egypt england
    finland france germany greece hungary india indonesia iran iraq ireland israel italy japan kenya mexico
    morocco netherlands nigeria norway pakistan peru poland portugal romania russia scotland spain sweden
    switzerland turkey ukraine venezuela vietnam wales
""") | {"new zealand", "south africa", "saudi arabia", "northern ireland"}  # fmt: skip
"""Places that hold towns, none of which lies in another of these: a town of one is no town of another."""

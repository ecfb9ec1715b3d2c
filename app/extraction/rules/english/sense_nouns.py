"""Nouns by which a text distinguishes several things of one name, one kind to a row.

Two different kinds mean two things: no planet is a metal. Pairs of kinds that one thing may have are in
`COMPATIBLE_KIND_PAIRS`. Kinds of which one person may have several (actor, politician) are not listed, since
they distinguish nobody.
"""

from app.domain.scoring.stop_words import split_into_word_set

NOUNS_BY_KIND: dict[str, tuple[str, ...]] = {
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
"""The normalised nouns of each kind. The kind is displayed in brackets after the name."""

COMPATIBLE_KIND_PAIRS = frozenset(
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
"""Pairs of kinds that do not distinguish two things: a city may be a country, a club may have its city's
name.
"""

KIND_OF_PLACE_NOUN = {
    "country": "country",
    "republic": "country",
    "us state": "U.S. state",
    "city": "city",
    "town": "city",
    "village": "city",
    "island": "island",
}
"""Nouns before "of" and a name, and their kinds: "the island of Java"."""

WORDS_AFTER_HEAD = split_into_word_set("""
    of in on at by for from with to that which who whose where when and or is was are were as near off
    between located situated known based founded
""")
"""Words that end the defining noun phrase."""

STATES = split_into_word_set("""
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho
    illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota
    mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah
    vermont virginia washington wisconsin wyoming
""") | {"new york", "new jersey", "new mexico", "new hampshire", "north carolina", "south carolina",
        "north dakota", "south dakota", "west virginia", "rhode island"}  # fmt: skip
COUNTRIES = split_into_word_set("""
    argentina australia austria belgium brazil canada chile china colombia cuba denmark egypt england
    finland france germany greece hungary india indonesia iran iraq ireland israel italy japan kenya mexico
    morocco netherlands nigeria norway pakistan peru poland portugal romania russia scotland spain sweden
    switzerland turkey ukraine venezuela vietnam wales
""") | {"new zealand", "south africa", "saudi arabia", "northern ireland"}  # fmt: skip
"""Regions with towns, none of which lies in another: a town of one is not a town of another."""

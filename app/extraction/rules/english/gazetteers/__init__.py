"""Lists of names and words of English texts, in files with one entry per line, in lower case.

- `cities.txt`: cities of more than 300,000 people, from GeoNames (geonames.org, CC BY 4.0), without names
  that are frequent surnames, first names or ordinary words, and without those of `lexicon.PLACES`.
- `regions.txt`: first-level regions of all countries, from GeoNames, without names of cities of more than
  15,000 people, of the tables of the lexicon and of three letters or fewer.
- `census_first_names.txt`: frequent first names of the 1990 census of the United States (public domain).
- `world_first_names.txt`: first names of other parts of the world in English spelling, collected by hand;
  none is an English word or a place.
- `first_names_of_women.txt`, `first_names_of_men.txt`: first names that almost only women or men have.
- `ordinary_words.txt`: ordinary words that, capitalised and alone, are mostly a piece of a longer name or of
  a table. Names of programs, papers, companies and teams are excluded: "Windows", "Nature".
"""

from importlib.resources import files


def _load_words(name: str) -> frozenset[str]:
    return frozenset(files(__name__).joinpath(f"{name}.txt").read_text("utf-8").splitlines())


CITIES = _load_words("cities")
FIRST_LEVEL_REGIONS = _load_words("regions")
"""They say that a place contains others, not that a name is a place: some are first names or words as well.
"""
FIRST_NAMES = _load_words("census_first_names") | _load_words("world_first_names")
"""They indicate a person only at the beginning of a name of several words: many are words or places as well.
"""
FIRST_NAMES_OF_WOMEN, FIRST_NAMES_OF_MEN = (
    _load_words("first_names_of_women"),
    _load_words("first_names_of_men"),
)
"""They exclude "he" or "she"."""
ORDINARY_WORDS = _load_words("ordinary_words")
"""A single word of these is not a name, unless it is in quotation marks: there it is a title."""

"""Words by which sentences state a value: a population, a length, a description."""

from dataclasses import dataclass

from app.domain.scoring.stop_words import split_into_word_set


@dataclass(frozen=True, slots=True)
class ValueWording:
    """Other wordings of an attribute: nouns ("altitude of 900 m"), counted things ("900 inhabitants"), and
    adjectives after a measure ("900 metres high").
    """

    nouns: tuple[str, ...] = ()
    counted_nouns: frozenset[str] = frozenset()
    adjectives: frozenset[str] = frozenset()


WORDING_BY_ATTRIBUTE = {
    "population": ValueWording(counted_nouns=split_into_word_set("inhabitants residents people")),
    "area": ValueWording(("surface area", "land area")),
    "length": ValueWording(adjectives=split_into_word_set("long")),
    "height": ValueWording(adjectives=split_into_word_set("high tall")),
    "elevation": ValueWording(("altitude",)),
    "width": ValueWording(adjectives=split_into_word_set("wide")),
    "depth": ValueWording(adjectives=split_into_word_set("deep")),
    "capacity": ValueWording(("seating capacity",), split_into_word_set("seats spectators passengers")),
    "rainfall": ValueWording(("precipitation",)),
    "enrollment": ValueWording(("enrolment", "student body"), split_into_word_set("students pupils")),
    "employees": ValueWording(("workforce",), split_into_word_set("employees staff")),
    "members": ValueWording(("membership",), split_into_word_set("members")),
    "duration": ValueWording(("running time", "runtime"), adjectives=split_into_word_set("long")),
}
"""By the name of the attribute; an attribute not listed is found by its name alone: `snowfall`."""

DESCRIPTION_ATTRIBUTES = split_into_word_set("description kind occupation profession")
"""Attributes whose value is a description: "is an English painter"."""

CAPACITY_VERBS = {
    "position": (("plays", "as"), ("played", "as"), ("playing", "as"), ("operates", "as")),
    "occupation": (("works", "as"), ("worked", "as"), ("working", "as")),
}
"""Verbs followed by a noun for the capacity in which somebody acts."""

QUALIFIERS = split_into_word_set("""
    total estimated resident current overall recorded official average annual mean surface land human maximum
    seating permanent usual typical approximate yearly seasonal normal combined full
""")
"""Words before the noun that do not select another value, as "metropolitan" does."""

VALUE_VERBS = split_into_word_set(
    "is was are were stands stood totals totalled totaled averages averaged reached numbered"
)
"""Verbs between the noun and its value."""

WORDS_BEFORE_NUMBER = split_into_word_set(
    "about around approximately some over roughly only just at the a us $ £ € estimated"
)
"""Words between the verb, or "of", and the number."""

MAGNITUDES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

MEASURE_UNITS = split_into_word_set("""
    inches inch cm mm m km metres meters metre meter kilometres kilometers centimetres centimeters miles mile
    feet foot ft acres hectares ha square sq cubic km² m² mi² km2 mi % percent per ° degrees celsius
    fahrenheit people inhabitants residents students employees members pounds kg kilograms tonnes tons minutes
    hours seconds years days dollars euros seats spectators passengers mph km/h
""")
"""Units of numbers."""

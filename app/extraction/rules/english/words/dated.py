"""The verbs that give something a date, and what a space may call the attribute that keeps it."""

from dataclasses import dataclass

from app.scoring.stop_words import word_set


@dataclass(frozen=True, slots=True)
class DatedBy:
    """The verbs of one meaning, and the names of the attribute that they fill."""

    verbs: frozenset[str]
    attributes: frozenset[str]


DATED_BY = {
    "birth": DatedBy(
        word_set("born b b."),
        word_set("born born_on birth birth_date birthdate date_of_birth birth_year year_of_birth"),
    ),
    "death": DatedBy(
        word_set("died d d."),
        word_set("died died_on death death_date date_of_death death_year year_of_death"),
    ),
    "founding": DatedBy(
        word_set("founded established formed incorporated"),
        word_set(
            "founded founded_on founded_in founding_date date_of_founding founding_year established formed"
        ),
    ),
    "release": DatedBy(
        word_set("released published premiered"),
        word_set(
            "released released_on release_date release_year published publication_date publication_year"
        ),
    ),
    "opening": DatedBy(word_set("opened"), word_set("opened opened_on opening_date")),
    "building": DatedBy(
        word_set("built constructed completed erected"),
        word_set("built completed construction_date year_built"),
    ),
}
LIFE = ("birth", "death")
"""What the two dates in a bracket behind a person mean."""
INTRANSITIVE = word_set("born died opened premiered")
"""What these date stands before them."""

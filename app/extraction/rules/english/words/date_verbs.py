"""Verbs that date something, and the names of the attributes that store the date."""

from dataclasses import dataclass

from app.domain.scoring.stop_words import word_set


@dataclass(frozen=True, slots=True)
class DatedBy:
    """Verbs of one meaning, with "_" for a space, and the names of their attribute."""

    verbs: frozenset[str]
    attributes: frozenset[str]


DATE_VERBS = {
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
        word_set("released published premiered brought_out"),
        word_set(
            "released released_on release_date release_year published publication_date publication_year"
        ),
    ),
    "opening": DatedBy(word_set("opened"), word_set("opened opened_on opening_date")),
    "building": DatedBy(
        word_set("built constructed completed erected"),
        word_set("built completed construction_date year_built"),
    ),
    "recording": DatedBy(word_set("recorded"), word_set("recorded recorded_on recording_date")),
    "introduction": DatedBy(
        word_set("introduced launched unveiled inaugurated"),
        word_set("introduced launched launch_date launched_on inaugurated"),
    ),
    "airing": DatedBy(word_set("aired broadcast"), word_set("aired aired_on air_date broadcast")),
    "beginning": DatedBy(word_set("began begins started commenced"), word_set("began started start_date")),
    "ending": DatedBy(
        word_set("dissolved disbanded abolished closed ended"),
        word_set("dissolved disbanded abolished closed ended end_date"),
    ),
    "destruction": DatedBy(word_set("destroyed demolished"), word_set("destroyed demolished")),
}
LIFE = ("birth", "death")
"""Meanings of the two dates in a bracket after a person."""
INTRANSITIVE = word_set("born died opened premiered aired began begins commenced closed ended disbanded")
"""Verbs that date their subject."""

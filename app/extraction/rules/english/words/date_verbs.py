"""Verbs that date something, and the names of the attributes that store the date."""

from dataclasses import dataclass

from app.domain.scoring.stop_words import split_into_word_set


@dataclass(frozen=True, slots=True)
class DateWording:
    """Verbs of one meaning, with "_" for a space, and the names of their attribute."""

    verbs: frozenset[str]
    attributes: frozenset[str]


DATE_VERBS = {
    "birth": DateWording(
        split_into_word_set("born b b."),
        split_into_word_set("born born_on birth birth_date birthdate date_of_birth birth_year year_of_birth"),
    ),
    "death": DateWording(
        split_into_word_set("died d d."),
        split_into_word_set("died died_on death death_date date_of_death death_year year_of_death"),
    ),
    "founding": DateWording(
        split_into_word_set("founded established formed incorporated"),
        split_into_word_set(
            "founded founded_on founded_in founding_date date_of_founding founding_year established formed"
        ),
    ),
    "release": DateWording(
        split_into_word_set("released published premiered brought_out"),
        split_into_word_set(
            "released released_on release_date release_year published publication_date publication_year"
        ),
    ),
    "opening": DateWording(
        split_into_word_set("opened"), split_into_word_set("opened opened_on opening_date")
    ),
    "building": DateWording(
        split_into_word_set("built constructed completed erected"),
        split_into_word_set("built completed construction_date year_built"),
    ),
    "recording": DateWording(
        split_into_word_set("recorded"), split_into_word_set("recorded recorded_on recording_date")
    ),
    "introduction": DateWording(
        split_into_word_set("introduced launched unveiled inaugurated"),
        split_into_word_set("introduced launched launch_date launched_on inaugurated"),
    ),
    "airing": DateWording(
        split_into_word_set("aired broadcast"), split_into_word_set("aired aired_on air_date broadcast")
    ),
    "beginning": DateWording(
        split_into_word_set("began begins started commenced"), split_into_word_set("began started start_date")
    ),
    "ending": DateWording(
        split_into_word_set("dissolved disbanded abolished closed ended"),
        split_into_word_set("dissolved disbanded abolished closed ended end_date"),
    ),
    "destruction": DateWording(
        split_into_word_set("destroyed demolished"), split_into_word_set("destroyed demolished")
    ),
}
BIRTH, DEATH = "birth", "death"
"""Meanings of the two dates in a bracket after a person."""
INTRANSITIVE_VERBS = split_into_word_set(
    "born died opened premiered aired began begins commenced closed ended disbanded"
)
"""Verbs that date their subject."""

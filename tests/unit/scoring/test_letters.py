"""Letters are reduced to base letters, the same at every door that compares names and words."""

import re
import unicodedata

import pytest

from app.answers.text_matching import does_one_text_have_all_words_of_name, fold_to_spaced_lower_case
from app.domain.scoring.keywords import list_stems
from app.domain.scoring.letters import replace_by_base_letters
from app.domain.scoring.misspelling import compute_misspelling_cost
from app.extraction.vocabulary import to_relation_type_name
from app.graph.spellings import compute_phonetic_key, list_plain_forms

LATIN_LETTERS = [
    letter
    for letter in map(chr, [*range(0xC0, 0x250), *range(0x1E00, 0x1F00)])
    if letter.islower() and not unicodedata.decomposition(letter).startswith("<compat>")
]
WITH_STROKE = [
    (letter, match[1].lower())
    for letter in LATIN_LETTERS
    if (match := re.fullmatch("LATIN SMALL LETTER ([A-Z]) WITH .*", unicodedata.name(letter)))
]


def test_folded_text_stays_as_it_is() -> None:
    for letter in LATIN_LETTERS:
        assert replace_by_base_letters(replace_by_base_letters(letter)) == replace_by_base_letters(letter)


def test_every_letter_with_something_added_is_its_base_letter() -> None:
    assert len(WITH_STROKE) > 250
    assert {letter for letter, base in WITH_STROKE if replace_by_base_letters(letter) != base} == set()


@pytest.mark.parametrize("letter", list("łøđħŧ"))
def test_every_door_folds_letters_without_a_decomposition(letter: str) -> None:
    name, bare_name = f"ba{letter}kovan", f"ba{replace_by_base_letters(letter)}kovan"
    assert fold_to_spaced_lower_case(name) == fold_to_spaced_lower_case(bare_name)
    assert does_one_text_have_all_words_of_name(
        name.title(), [fold_to_spaced_lower_case(f"In {bare_name.title()} it rained.")]
    )
    assert does_one_text_have_all_words_of_name(
        bare_name.title(), [fold_to_spaced_lower_case(f"In {name.title()} it rained.")]
    )
    assert list_stems(name) == list_stems(bare_name)
    assert compute_misspelling_cost(bare_name, name) == 0
    assert bare_name in list_plain_forms(name)
    assert compute_phonetic_key(name) == compute_phonetic_key(bare_name)
    assert to_relation_type_name(name) == bare_name


@pytest.mark.parametrize(
    ("text", "folded_text"),
    [
        ("ÆØŁ", "AeOL"),
        ("Straße", "Strasse"),
        ("Việt Nam", "Viet Nam"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_case_stays_and_points_go(text: str, folded_text: str) -> None:
    assert replace_by_base_letters(text) == folded_text


@pytest.mark.parametrize(("word", "other_word"), [("が", "か"), ("क्ष", "कष"), ("ला", "ल"), ("ที่", "ท")])
def test_marks_that_make_another_letter_stay(word: str, other_word: str) -> None:
    assert replace_by_base_letters(word) != replace_by_base_letters(other_word)

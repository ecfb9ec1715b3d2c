"""Which texts speak of a namesake of what is asked about, and which say that something never was."""

import pytest

from app.domain.scoring.negation import denies_that_ever_held
from app.graph.names import flag_texts_about_namesakes


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Rex Tully works for Carlin Steel.", "Marlin Steel"),
        ("Anna Tully left in May.", "Rex Tully"),
        ("Kompass supports Windows 10.", "Windows 8"),
        ("Orbit Basic costs 19 euros.", "Orbit Plus"),
    ],
)
def test_another_of_the_same_word_is_a_namesake(text: str, name: str) -> None:
    assert flag_texts_about_namesakes([text], [name]) == [True]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Marlin Steel Ltd is in Hull.", "Marlin Steel"),
        ("In March Mr Tully left.", "Rex Tully"),
        ("Yesterday Tully left.", "Rex Tully"),
        ("R. Tully and Rex A. Tully left.", "Rex Tully"),
        ("President Tully met Anna Tully.", "Rex Tully"),
        ("Kompass supports Windows 8 and Windows 10.", "Windows 8"),
        ("Bob works for Acme.", "Marlin Steel"),
        ("Acme Corp. uses it.", "Acme"),
    ],
)
def test_the_name_or_a_part_of_it_is_none(text: str, name: str) -> None:
    assert flag_texts_about_namesakes([text], [name]) == [False]


def test_a_text_that_holds_one_of_the_names_speaks_of_it() -> None:
    assert flag_texts_about_namesakes(
        ["Rex Tully works for Carlin Steel."], ["Marlin Steel", "Rex Tully"]
    ) == [False]


@pytest.mark.parametrize(
    ("sentence", "never"),
    [
        ("Ada never worked for Acme.", True),
        ("Ada never worked for Acme again.", False),
        ("Ada no longer works for Acme.", False),
    ],
)
def test_never_denies_the_past_as_well(sentence: str, never: bool) -> None:
    assert denies_that_ever_held(sentence) is never

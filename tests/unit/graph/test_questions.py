"""Names that a question writes with capitals (requirements 8.3 and 10.3)."""

import pytest

from app.graph.questions import find_capitalised_names_in_question


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Welche Partei hat das Programm vorgeschlagen?", ["Partei", "Programm"]),
        ("Wann erklärte Schweden Dänemark den Krieg?", ["Schweden", "Dänemark", "Krieg"]),
        ("Wie hoch ist die Zahl der Arten im Regenwald?", ["Zahl", "Arten", "Regenwald"]),
        ("Which party did the Bank of Ostland support?", ["Bank of Ostland"]),
    ],
)
def test_words_with_capitals_stand_alone_where_nouns_have_them(question: str, names: list[str]) -> None:
    """ "Zahl der Arten" is no name, and of two words side by side nothing says that they are one."""
    assert [mention.surface for mention in find_capitalised_names_in_question(question)] == names


@pytest.mark.parametrize(
    "date",
    ["Dec 1963", "Sept. 1965", "March 2020", "Monday 3 May", "May", "Jan-Mar 2020", "Tuesday, 3 August"],
)
def test_a_date_is_no_name(date: str) -> None:
    assert [
        mention.surface for mention in find_capitalised_names_in_question(f"Who led Ostland Bank in {date}?")
    ] == ["Ostland Bank"]


def test_a_month_within_a_name_belongs_to_it() -> None:
    assert [mention.surface for mention in find_capitalised_names_in_question("Who is Imke May?")] == [
        "Imke May"
    ]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who led Ostland Bank in Q3 2021?", ["Ostland Bank"]),
        ("Who owned the Ostland Act of 1978?", ["Ostland Act"]),
        ("Who drew the Ostland 2001-02 charts?", ["Ostland"]),
        ("Which Umber-based bank failed?", []),
        ("Which part has the number Q3?", ["Q3"]),
        ("Who reads Al-Muwaffaq?", ["Al-Muwaffaq"]),
        ("Who led Apollo 11?", ["Apollo 11"]),
    ],
)
def test_a_period_and_a_word_made_of_a_name_belong_to_no_name(question: str, names: list[str]) -> None:
    assert [mention.surface for mention in find_capitalised_names_in_question(question)] == names

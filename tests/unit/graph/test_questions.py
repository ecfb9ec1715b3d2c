"""Names that a question writes with capitals (requirements 8.3 and 10.3)."""

import pytest

from app.graph.questions import written_names


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
    assert [mention.surface for mention in written_names(question)] == names


@pytest.mark.parametrize(
    "date",
    ["Dec 1963", "Sept. 1965", "March 2020", "Monday 3 May", "May", "Jan-Mar 2020", "Tuesday, 3 August"],
)
def test_a_date_is_no_name(date: str) -> None:
    assert [each.surface for each in written_names(f"Who led Ostland Bank in {date}?")] == ["Ostland Bank"]


def test_a_month_within_a_name_belongs_to_it() -> None:
    assert [each.surface for each in written_names("Who is Imke May?")] == ["Imke May"]

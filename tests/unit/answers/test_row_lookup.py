"""A question is answered from rows by the column asked for, where the named cells are (requirement 10.3)."""

import pytest

from app.answers.candidates import list_quotable_sentences
from app.answers.context import build_context
from app.answers.row_lookup import RowAnswer, look_up_rows
from app.answers.sentence_weights import GENERIC_QUESTION_STEMS
from app.answers.shapes import SpanKind
from app.graph.shapes import Node
from app.retrieval.shapes import Passage
from tests.support.retrieval import node, passage, retrieved

STAFF = passage(
    "| Office | Full name | Employer | Line manager | Joined |\n| --- | --- | --- | --- | --- |\n"
    "| Bern | Ida Frei | Alpen Optik | Karl Moor | 2019-04-01 |\n"
    "| Bern | Karl Moor | Alpen Optik | Lena Voss | 2012-01-15 |\n"
    "| Basel | Lena Voss | Alpen Optik | Rolf Egli | 2008-07-01 |\n"
    "| Bern | Max Tobler | Rhein Druck | Lena Voss | 2021-09-01 |",
    title="staff.csv",
)


def answer(question: str, table: Passage = STAFF, nodes: tuple[Node, ...] = ()) -> RowAnswer:
    found = retrieved(table, question=question, nodes=nodes)
    sentences = list_quotable_sentences(build_context(found).sources, ())
    return look_up_rows(question, sentences, found.nodes, generic_stems=GENERIC_QUESTION_STEMS)


def list_names(found: RowAnswer) -> list[str]:
    return [sentence.text.strip("| ").split(" | ")[1] for sentence in found.sentences]


@pytest.mark.parametrize(
    ("question", "names", "short_answer"),
    [
        ("Who reports to Lena Voss?", ["Karl Moor", "Max Tobler"], None),
        ("Who does Karl Moor report to?", ["Karl Moor"], "Lena Voss"),
        ("Who is Ida Frei's manager?", ["Ida Frei"], "Karl Moor"),
        ("Who works for Rhein Druck?", ["Max Tobler"], "Max Tobler"),
        ("When did Max Tobler join?", ["Max Tobler"], "2021-09-01"),
    ],
)
def test_rows_answer_by_what_is_named_and_what_is_asked(
    question: str, names: list[str], short_answer: str | None
) -> None:
    found = answer(question)

    assert list_names(found) == names
    assert found.short_answer == short_answer


@pytest.mark.parametrize(
    "question",
    [
        "Who reports to Ida Frei?",  # She stands in no cell of a manager.
        "What is the salary of Ida Frei?",
        "Who joined before 2019-04-01?",
        "Who does not work for Rhein Druck?",
        "Does Ida Frei work for Rhein Druck?",
        "Who works for Neu Rhein Druck?",
    ],
)
def test_rows_that_do_not_say_what_is_asked_are_no_answer(question: str) -> None:
    assert answer(question).sentences == ()


MILLS = passage(
    "| Mill | Founded | Sold | Spindles |\n| --- | --- | --- | --- |\n| Oberau | 1871 | 2004-05-01 | 1900 |\n"
    "| Unterau | 1902 | 1999-10-01 | 2400 |",
    title="mills.csv",
)


@pytest.mark.parametrize(
    ("question", "short_answer", "kind"),
    [
        ("When was Oberau founded?", "1871", SpanKind.DATE),
        ("In which year was Unterau founded?", "1902", SpanKind.DATE),
        ("What year was Oberau sold?", "2004-05-01", SpanKind.DATE),
        ("How many spindles does Unterau have?", "2400", SpanKind.NUMBER),
        # A number that may be a year is none where the question has no word of its column.
        ("When was Oberau painted?", None, SpanKind.NAME),
        ("In which year was Unterau closed?", None, SpanKind.NAME),
        # Nor where it names what the column counts.
        ("When were the spindles of Unterau oiled?", None, SpanKind.NAME),
        ("When did Oberau have spindles?", None, SpanKind.NAME),
    ],
)
def test_a_column_of_years_tells_when(question: str, short_answer: str | None, kind: SpanKind) -> None:
    found = answer(question, MILLS)

    assert (found.short_answer, found.short_answer_kind) == (short_answer, kind)


FLEET = passage(
    "| Plate | Driver | Depot |\n| --- | --- | --- |\n| K1 | Ida Frei | Bern |\n| K2 | Max Tobler | Basel |",
    title="fleet.csv",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # The question itself says that the cell is a place.
        ("Which drivers are based in Bern?", 1),
        ("Which drivers are located in Basel?", 1),
        ("Which drivers were born in Bern?", 0),
        ("Which people are based in Bern?", 0),  # Of a column of drivers nothing tells that they are people.
        # What names no cell asks for all rows, where it asks for several and a column has its words.
        ("Which drivers are there?", 2),
        ("Who is the driver?", 0),
        ("Which customers are there?", 0),
        ("Which drivers are retired?", 0),
    ],
)
def test_a_column_of_unknown_kind_and_a_whole_table(question: str, rows: int) -> None:
    assert len(answer(question, FLEET).sentences) == rows


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who works in Bern?", ["Ida Frei", "Karl Moor", "Max Tobler"]),
        ("Who invested in Bern?", []),
        ("Who studied in Bern?", []),
    ],
)
def test_only_a_verb_of_belonging_is_left_to_the_place(question: str, names: list[str]) -> None:
    bern = node("Bern")._replace(node_type="Location")

    assert list_names(answer(question, nodes=(bern,))) == names


def test_what_no_column_says_is_told() -> None:
    found = answer("What is the salary of Ida Frei?")

    assert found.unsaid_words == ("salary",)
    assert found.cell_names == ("Ida Frei",)


def test_a_digit_or_letter_alone_tells_cells_apart() -> None:
    wards = passage(
        "| Patient | Ward |\n| --- | --- |\n| Ida Frei | Ward 3 |\n| Karl Moor | Ward 1 |", title="wards.csv"
    )

    found = answer("Which patients are in Ward 3?", wards)

    assert [sentence.text for sentence in found.sentences] == ["| Ida Frei | Ward 3 |"]


def test_no_other_row_answers_where_the_one_named_does_not() -> None:
    found = answer("What is the salary of Ida Frei?")

    assert len(found.unfit_rows) == len(STAFF.text.splitlines()) - 2


COURSES = passage(
    "| Course | Teacher | Stall | Weekday |\n| --- | --- | --- | --- |\n"
    "| Pottery | Lena Fuchs | B12 | Monday |\n| Choir | Ruth Adeyemi | C01 | Friday |",
    title="courses.csv",
)


@pytest.mark.parametrize(
    ("question", "cell"),
    [
        ("Which stall does Pottery occupy?", "B12"),
        ("On which weekday does the Choir rehearse?", "Friday"),
        ("On which day does the Choir rehearse?", "Friday"),
        ("Which teacher founded Pottery?", None),  # A known relation that no column states.
        ("Which floor does Pottery occupy?", None),
    ],
)
def test_a_verb_without_a_column_is_left_to_the_column_that_is_asked_for(
    question: str, cell: str | None
) -> None:
    assert answer(question, COURSES).short_answer == cell

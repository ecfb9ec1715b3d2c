"""A question for several things is answered by all of them (requirement 10.3)."""

import pytest

from app.answers.context import build_context
from app.answers.plurals import asks_for_several
from app.answers.shapes import Question
from app.answers.written_by_quotes import answer_by_quotes
from app.documents.sentences import join_quote_lines_except_list_items, list_folded_row_names
from tests.support.retrieval import passage, retrieved

TOWNS = ("Umea", "Lulea", "Boden", "Kiruna", "Gavle")
BOUGHT = passage(
    " ".join(f"Norrland Rail bought the trams of {town}." for town in TOWNS)
    + " Norrland Rail has its seat in Falun.",
    title="Norrland Rail",
)
TABLE = passage(
    "| Customer | Product |\n| --- | --- |\n"
    + "\n".join(f"| {town} Clinic | Beacon |" for town in TOWNS)
    + "\n| Visby Clinic | Lantern |",
    title="Contracts",
)


def answer(question: str, *passages: object) -> list[str]:
    found = retrieved(*passages, question=question)  # type: ignore[arg-type]
    return [sentence.text for sentence in answer_by_quotes(Question(question), found, build_context(found))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which customers use Beacon?", True),
        ("Who are the members of the council?", True),
        ("List the rivers of Spain.", True),
        ("List all customers.", True),
        ("¿Quiénes son los miembros del consejo?", True),
        ("Qui sont les membres du conseil ?", True),
        ("Which customer uses Beacon?", False),
        ("Who is the CEO of Kestrel?", False),
        ("How many customers does it have?", False),
        ("Who led the Panthers in sacks?", False),
    ],
)
def test_a_plural_asks_for_several(question: str, expected: bool) -> None:
    assert asks_for_several(question) is expected


def test_all_sentences_that_say_alike_what_is_asked_are_the_answer() -> None:
    sentences = answer("Which trams did Norrland Rail buy?", BOUGHT)

    assert [town for town in TOWNS if any(town in sentence for sentence in sentences)] == list(TOWNS)
    assert not any("Falun" in sentence for sentence in sentences)


def test_all_rows_of_a_table_that_hold_what_is_asked_are_the_answer() -> None:
    sentences = answer("Which customers use Beacon?", TABLE)

    assert [town for town in TOWNS if any(town in sentence for sentence in sentences)] == list(TOWNS)
    assert not any("Visby" in sentence for sentence in sentences)


def test_one_fact_is_answered_alone() -> None:
    sentences = answer("When did Norrland Rail buy the trams of Boden?", BOUGHT)

    assert "Boden" in sentences[0]
    assert len(sentences) <= 3


def test_a_row_is_told_with_the_headers_of_its_cells() -> None:
    assert "Customer: Umea Clinic; Product: Beacon" in answer("Which customers use Beacon?", TABLE)


PLANS = passage(
    "Plans\n\n| Customer | Plan |\n| --- | --- |\n| Umea Clinic | Gold |\n| Boden Clinic | Silver |\n"
    "| Kiruna Clinic | Gold |",
    title="Contracts",
    heading_path=("Plans",),
)
MODULE = passage(
    "Which clinics run the Beacon module\n\n1. Umea Clinic\n2. Kiruna Clinic\n3. Gavle Clinic",
    title="Modules",
    heading_path=("Which clinics run the Beacon module",),
)
SUPPORT = passage(
    "How the Beacon module is supported\n\nThe clinics of the north are supported from Falun.",
    title="Support",
    heading_path=("How the Beacon module is supported",),
)


def test_a_row_that_says_all_of_the_question_with_its_header_is_an_answer() -> None:
    sentences = answer("Which customers have the Gold plan?", SUPPORT, PLANS)

    assert sentences == ["Customer: Umea Clinic; Plan: Gold", "Customer: Kiruna Clinic; Plan: Gold"]


def test_a_heading_is_quoted_with_its_list_each_item_on_a_line_and_never_alone() -> None:
    sentences = answer("Which clinics run the Beacon module?", MODULE, SUPPORT)

    assert sentences[0] == (
        "Which clinics run the Beacon module\n1. Umea Clinic\n2. Kiruna Clinic\n3. Gavle Clinic"
    )
    assert not any(sentence.startswith("How the Beacon") for sentence in sentences)


def test_the_lines_of_a_record_stand_on_one_line() -> None:
    assert (
        join_quote_lines_except_list_items("Order: 1001\nCustomer: Umea Clinic")
        == "Order: 1001; Customer: Umea Clinic"
    )
    assert (
        join_quote_lines_except_list_items("Ben Oder\nOffice: Bonn\nFloor: 2")
        == "Ben Oder; Office: Bonn; Floor: 2"
    )
    assert list_folded_row_names(["Ben Oder\nOffice: Bonn\nFloor: 2"]) == ["ben oder"]


def test_a_sentence_over_two_lines_is_no_record() -> None:
    assert join_quote_lines_except_list_items("The report of May says\nNote: it moved to Ulm") == (
        "The report of May says Note: it moved to Ulm"
    )
    assert join_quote_lines_except_list_items("Ann works\nhere. Note: it moved\nFloor: 2") == (
        "Ann works here. Note: it moved Floor: 2"
    )

"""Requirement 10.3: a question over a long table is answered by all of its rows, not by those found first."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.answers.ask import ask
from app.answers.quotes import MAX_QUOTES_OF_LIST
from app.answers.shapes import FinalAnswer, Question
from app.db.database import Database
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text
from tests.support.questions import assert_resolves
from tests.support.retrieval import from_space

FIRST = ("Ada", "Ben", "Clara", "David", "Emma", "Frank", "Greta", "Henry", "Irene", "Jacob")
LAST = ("Lund", "Reyes", "Falk", "Brandt", "Novak", "Almeida", "Sato", "Vidal", "Weiss", "Cruz", "Moreau")
NAMES = [f"{first} {last}" for last in LAST for first in FIRST]
IN_ULM = [name for index, name in enumerate(NAMES) if index % 10 == 3]
ROWS = [f"{name} | Kestrel Optics | {'Ulm' if name in IN_ULM else 'Brno'}" for name in NAMES]
FOUND = 2
"""Chunks that retrieval finds."""


@pytest.fixture
def staff(database: Database, settings: Settings, home: Home) -> Home:
    ingest_now(
        database, settings, home, [text("\n".join(["Employee | Employer | City", *ROWS]), title="Staff")]
    )
    return home


def answer(database: Database, home: Home, question: str) -> FinalAnswer:
    found = from_space(database, home, question)
    assert len(found.passages) > FOUND + 2
    narrowed = replace(found, passages=found.passages[:FOUND], facts=())
    *_, last = ask(
        database,
        home.tenant_id,
        home.space_id,
        Question(question),
        retrieve=lambda: narrowed,
        client=None,
    )
    assert isinstance(last, FinalAnswer)
    return last


def test_all_rows_of_a_table_with_the_cell_named_are_told(database: Database, staff: Home) -> None:
    answered = answer(database, staff, "Who works in Ulm?")

    assert answered.is_list
    assert [sentence.text.split("; ")[0] for sentence in answered.sentences] == [
        f"Employee: {name}" for name in IN_ULM
    ]
    assert_resolves(database, staff, answered)
    cited = {number for sentence in answered.sentences for number in sentence.citations}
    assert {source.number for source in answered.context.sources} >= cited
    # What was read and holds no row that is told is no source.
    assert len(answered.context.sources) <= max(len(cited) + FOUND, FOUND)


@pytest.mark.parametrize(
    ("question", "rows"),
    [("Who works in Brno?", len(ROWS) - len(IN_ULM)), ("Which employees are there?", len(ROWS))],
)
def test_rows_beyond_the_bound_are_counted(database: Database, staff: Home, question: str, rows: int) -> None:
    answered = answer(database, staff, question)

    assert len(answered.sentences) == MAX_QUOTES_OF_LIST
    assert any(warning.startswith(f"{rows - MAX_QUOTES_OF_LIST} more") for warning in answered.warnings)


def test_a_further_row_that_ended_is_not_told(database: Database, staff: Home) -> None:
    gone = IN_ULM[-1]
    with database.open_space(staff.tenant_id, staff.space_id) as space:
        edges = graph.list_edges(space, relation_type="works_for", limit=200)
        (edge,) = [edge for edge in edges if gone in (edge.quote or "")]
        invalidation.end_claim_by_person(space, edge.id, reason="left", actor="test")

    answered = answer(database, staff, "Who works in Ulm?")

    assert len(answered.sentences) == len(IN_ULM) - 1
    assert not any(gone in sentence.text for sentence in answered.sentences)


@pytest.mark.parametrize(("leaders", "expected"), [(("Ada Lund", "Ada Lund"), "Ada Lund"), (NAMES[:2], None)])
def test_what_all_rows_agree_on_is_the_short_answer(
    database: Database, settings: Settings, home: Home, leaders: Sequence[str], expected: str | None
) -> None:
    tables = [
        f"Depot | Manager | {header}\nOak Meadow | {leader} | Ulm\nOld Mill | Emma Falk | Brno"
        for header, leader in zip(("City", "Office"), leaders, strict=True)
    ]
    ingest_now(database, settings, home, [text(table, title=table.split()[4]) for table in tables])
    *_, answered = ask(
        database,
        home.tenant_id,
        home.space_id,
        Question("Who is the manager of Oak Meadow?"),
        retrieve=lambda: from_space(database, home, "Who is the manager of Oak Meadow?"),
        client=None,
    )
    assert isinstance(answered, FinalAnswer)
    assert len(answered.sentences) == len(tables)
    assert (answered.answer_span and answered.answer_span.text) == expected

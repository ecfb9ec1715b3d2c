"""Helpers for tests that ask: a small library, the events of an answer, and proof that its citations
resolve.
"""

from collections.abc import Generator

from app.answers.ask import ask
from app.answers.shapes import Event, FinalAnswer, Question
from app.db.database import Database
from app.documents import service as documents
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text
from tests.support.retrieval import from_space

QUESTION = "What did Ada Lovelace create?"
ENGINE = (
    "Ada Lovelace created Analytical Engine Notes. They were printed in London in 1843. "
    "Charles Babbage founded Difference Engine Works in London."
)
WORKS = "Difference Engine Works created brass gears. Ada Lovelace never worked there."
PRICES = {"double": (1_000.0, 2_000.0)}


def events(
    database: Database, home: Home, client: ModelClient | None, question: str = QUESTION, **changes: object
) -> Generator[Event, None, None]:
    found = from_space(database, home, question)
    return ask(
        database,
        home.tenant_id,
        home.space_id,
        Question(question, **changes),  # type: ignore[arg-type]
        retrieve=lambda: found,
        client=client,
    )


def answer(
    database: Database, home: Home, client: ModelClient | None, question: str = QUESTION, **changes: object
) -> FinalAnswer:
    *_, last = events(database, home, client, question, **changes)
    assert isinstance(last, FinalAnswer)
    return last


def script(double: ModelDouble, said: str) -> None:
    double.when(lambda prompt: QUESTION in prompt, said)


def assert_resolves(database: Database, home: Home, found: FinalAnswer) -> None:
    """Every citation is a chunk of this space whose document's text holds the quote at its range."""
    numbers = {number for sentence in found.sentences for number in sentence.citations}
    assert {citation.number for citation in found.citations} == numbers
    with database.open_space(home.tenant_id, home.space_id) as space:
        for citation in found.citations:
            chunk = documents.get_chunk(space, citation.chunk_id)
            assert citation.quote
            assert citation.quote in chunk.text
            whole = documents.read_document_text(space, citation.document_id)
            assert whole[citation.char_start : citation.char_end] == citation.quote
            assert documents.get_document(space, citation.document_id).title == citation.document_title


def fill(database: Database, settings: Settings, home: Home, twin: Home) -> None:
    """Two documents for tenant A; tenant B has the first as well."""
    ingest_now(
        database,
        settings,
        home,
        [text(ENGINE, title="Engine"), text(WORKS, title="Works", source_uri="works")],
    )
    ingest_now(database, settings, twin, [text(ENGINE, title="Engine of the twin")])

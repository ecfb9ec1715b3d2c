"""What holds no more is told as no answer: its sentence is not quoted, a model is told of it, a citation is
marked.
"""

from typing import Any

import pytest

from app.answers.service import Answerer
from app.answers.shapes import AnswerScope, FinalAnswer, Mode, Question
from app.db.session import Database
from app.graph.invalidation import service as invalidation
from app.llm.client import ModelClient
from app.llm.embedding.embedders import Embedders
from app.llm.testing import ModelDouble
from app.retrieval.service import Retriever
from app.settings import Settings
from tests.conftest import Home
from tests.support.communities import detect_now
from tests.support.contradictions import (
    LONDON,
    LONDON_2021,
    PARIS,
    PARIS_2019,
    REASON,
    edge_of,
    look,
    says,
    taker,
)

ASKED = "Where is Acme Corporation located?"
ENDED = "is no longer so since 2021-04-01: Acme Corporation is located in Paris."


@pytest.fixture
def moved(database: Database, settings: Settings, home: Home) -> Home:
    """A firm that was in Paris in 2019 and in London in 2021."""
    taker(database, settings, home)(PARIS_2019, LONDON_2021)
    return home


def answer(
    database: Database, home: Home, client: ModelClient | None = None, scope: AnswerScope = AnswerScope.LOCAL
) -> FinalAnswer:
    retriever = Retriever(database, Embedders(), Settings())
    *_, found = Answerer(database, retriever, client).ask(
        home.tenant_id, home.space_id, Question(ASKED, scope=scope)
    )
    retriever.close()
    assert isinstance(found, FinalAnswer)
    return found


def test_without_a_model_only_what_holds_is_quoted(database: Database, moved: Home) -> None:
    found = answer(database, moved)
    assert found.answer == f"{LONDON} [{found.citations[0].number}]"
    assert not any("no longer so" in warning for warning in found.warnings)


def test_what_was_taken_back_is_quoted_again(database: Database, moved: Home) -> None:
    edge = edge_of(database, moved, PARIS)
    look(database, moved, lambda space: invalidation.undo_ending_decision(space, edge.id, actor="test"))
    assert {sentence.text for sentence in answer(database, moved).sentences} == {PARIS, LONDON}


def test_what_another_source_still_states_is_quoted(
    database: Database, settings: Settings, moved: Home
) -> None:
    again = says(f"It is so again. {PARIS}", address="again")
    taker(database, settings, moved)(again)
    assert PARIS in {sentence.text for sentence in answer(database, moved).sentences}


def test_a_model_is_told_and_what_it_cites_is_marked(
    database: Database, moved: Home, double: ModelDouble, client: ModelClient
) -> None:
    prompts: list[str] = []

    def reads(prompt: str) -> bool:
        prompts.append(prompt)
        return True

    double.when(reads, f"{PARIS[:-1]} [1][2].")
    found = answer(database, moved, client)
    assert found.mode is Mode.MODEL
    (number,) = [citation.number for citation in found.citations if citation.quote == PARIS]
    assert f"No longer so since 2021-04-01: Acme Corporation is located in Paris [{number}]" in prompts[0]
    assert f"What [{number}] says {ENDED}" in found.warnings


def test_the_twin_is_told_nothing_of_it(
    database: Database, settings: Settings, moved: Home, twin: Home
) -> None:
    taker(database, settings, twin)(PARIS_2019)
    assert answer(database, twin).answer.startswith(PARIS)


def test_a_report_that_is_older_than_the_end_of_a_claim_does_not_tell_it(
    database: Database, settings: Settings, home: Home
) -> None:
    taker(database, settings, home)(PARIS_2019, says("Acme Corporation uses PostgreSQL."))
    detect_now(database, settings, home)
    edge = edge_of(database, home, PARIS)

    def end(space: Any) -> None:
        invalidation.end_claim_by_person(space, edge.id, reason=REASON, actor="test")

    assert "Paris" in " ".join(
        citation.quote for citation in answer(database, home, scope=AnswerScope.GLOBAL).citations
    )
    look(database, home, end)
    found = answer(database, home, scope=AnswerScope.GLOBAL)
    assert found.citations
    assert "Paris" not in " ".join(citation.quote for citation in found.citations)

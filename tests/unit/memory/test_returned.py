"""What of an answer counts as recalled, and with which score (requirement 12.1)."""

from dataclasses import replace

from app.answers.shapes import Citation, Context, ContextFormat, EndedQuote, FinalAnswer, Mode
from app.derived.eviction.recall_recording import (
    list_recalls_of_answer,
    list_recalls_of_retrieval,
    score_edges_and_chunks_of_explanation,
)
from app.graph.shapes import Evidence
from app.ids import ChunkId, DocumentId, EdgeId, create_id
from app.retrieval.shapes import ScoredFact
from tests.support.retrieval import fact, node, passage, retrieved

ADA, ENGINE = node("Ada"), node("Engine")
BOTH = (ADA, ENGINE)


def stated_in(chunk_id: ChunkId, score: float) -> ScoredFact:
    evidence = Evidence(chunk_id, DocumentId(create_id()), "Note", "Ada created Engine.", 0, 19)
    return replace(fact(ADA, "created", ENGINE, evidence), score=score)


def answered(*chunks: ChunkId) -> FinalAnswer:
    cited = [
        Citation(n, chunk, DocumentId(create_id()), "Note", "", 0, 0) for n, chunk in enumerate(chunks, 1)
    ]
    context = Context((), "", ContextFormat.NARRATIVE)
    return FinalAnswer("?", Mode.EXTRACTIVE, (), tuple(cited), (), context, 1)


def test_passages_and_facts_count_by_their_scores() -> None:
    found, unsupported = (
        replace(passage("Ada."), score=0.3),
        replace(fact(ADA, "created", ENGINE, None), score=0.6),
    )
    returned = list_recalls_of_retrieval(retrieved(found, facts=(unsupported,), nodes=BOTH))
    assert returned.score_by_chunk == {found.chunk_id: 0.3}
    assert returned.score_by_edge == {unsupported.edge.id: 0.6}


def test_a_fact_is_no_recall_of_the_chunk_that_it_rests_on() -> None:
    """Its score, mostly the highest, would outweigh the passage that was asked for."""
    found = replace(passage("Ada created Engine."), score=0.3)
    weak, strong = stated_in(found.chunk_id, 0.2), stated_in(found.chunk_id, 0.7)
    elsewhere = stated_in(ChunkId(create_id()), 0.1)
    returned = list_recalls_of_retrieval(retrieved(found, facts=(weak, strong, elsewhere), nodes=BOTH))
    assert returned.score_by_chunk == {found.chunk_id: 0.3}
    assert set(returned.score_by_edge.values()) == {0.1, 0.2, 0.7}


def test_a_claim_that_an_answer_says_has_ended_was_shown() -> None:
    ended = EdgeId(create_id())
    told = answered()
    told = replace(
        told,
        context=replace(
            told.context, ended_quotes=(EndedQuote(1, "Ada created Engine", "", "2024-05-01", ended),)
        ),
    )
    assert list_recalls_of_answer(retrieved(), told).score_by_edge == {ended: 1.0}


def test_a_score_past_one_counts_as_one() -> None:
    """A fact's may be 1 x 2 x 1.2 and more; values must stay comparable."""
    boosted = stated_in(ChunkId(create_id()), 2.4)
    returned = list_recalls_of_retrieval(retrieved(facts=(boosted,), nodes=BOTH))
    assert list(returned.score_by_edge.values()) == [1.0]


def test_an_explanation_counts_by_confidence() -> None:
    known = stated_in(ChunkId(create_id()), 0.1)
    explanation = retrieved(facts=(known,), nodes=BOTH).explanation
    assert explanation is not None
    returned = score_edges_and_chunks_of_explanation(explanation)
    assert returned.score_by_edge == {known.edge.id: known.edge.confidence}
    assert list(returned.score_by_chunk.values()) == [known.edge.confidence]


def test_what_an_answer_cites_counts_in_full_also_where_nothing_was_retrieved() -> None:
    """A global answer cites what reports rest on."""
    found, other = replace(passage("Ada."), score=0.3), ChunkId(create_id())
    assert list_recalls_of_answer(retrieved(found), None).score_by_chunk == {found.chunk_id: 0.3}
    assert list_recalls_of_answer(retrieved(found), answered(found.chunk_id, other)).score_by_chunk == {
        found.chunk_id: 1.0,
        other: 1.0,
    }

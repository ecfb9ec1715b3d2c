"""Repeated like queries are answered from a cache for 60 seconds, by space, graph revision and settings
(requirement 9.6).
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.ids import SpaceId, TenantId, create_id
from app.retrieval import cache
from app.retrieval.cache import AnswerCache, Version
from app.retrieval.shapes import Query, Scoring, Strategy
from tests.support.clock import Clock
from tests.support.retrieval import retrieved

TENANT, STRANGER = TenantId(create_id()), TenantId(create_id())
SPACE, OTHER = SpaceId(create_id()), SpaceId(create_id())
ANSWER = replace(retrieved(question="Who wrote it?"), query=Query("Who wrote it?"))

NOW = Version(7, "{}")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(clock: Clock) -> AnswerCache:
    made = AnswerCache(clock=clock)
    made.put(TENANT, SPACE, NOW, ANSWER, lifetime_seconds=60)
    return made


def test_9_6_an_answer_is_kept_for_60_seconds(kept: AnswerCache, clock: Clock) -> None:
    clock.now = 60.0
    assert kept.get(TENANT, SPACE, NOW, ANSWER.query) is ANSWER
    clock.now = 60.1
    assert kept.get(TENANT, SPACE, NOW, ANSWER.query) is None


def test_9_6_nothing_is_kept_for_no_time(clock: Clock) -> None:
    made = AnswerCache(clock=clock)
    made.put(TENANT, SPACE, NOW, ANSWER, lifetime_seconds=0)
    assert made.get(TENANT, SPACE, NOW, ANSWER.query) is None


def test_9_6_like_queries_differ_in_white_space_alone(kept: AnswerCache) -> None:
    assert kept.get(TENANT, SPACE, NOW, Query(" Who  wrote it? ")) is ANSWER
    for other in (
        Query("who wrote it?"),
        Query("Who wrote it"),
        Query("Who wrote it?", strategy=Strategy.GRAPH_ONLY),
        Query("Who wrote it?", scoring=Scoring.HYBRID),
        Query("Who wrote it?", top_k=3),
        Query("Who wrote it?", min_score=0.1),
        Query("Who wrote it?", as_of=datetime(2020, 1, 1, tzinfo=UTC)),
    ):
        assert kept.get(TENANT, SPACE, NOW, other) is None, other


def test_9_6_another_space_a_changed_graph_and_other_settings_have_none(kept: AnswerCache) -> None:
    assert kept.get(TENANT, OTHER, NOW, ANSWER.query) is None
    assert kept.get(TENANT, SPACE, replace(NOW, graph_revision=8), ANSWER.query) is None
    assert kept.get(TENANT, SPACE, replace(NOW, settings='{"fan_out": 1}'), ANSWER.query) is None


def test_the_longest_unused_goes_first(
    kept: AnswerCache, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_TENANT_BYTES", 2 * cache._estimate_memory_bytes_of_answer(ANSWER))
    second, third = (replace(ANSWER, query=Query(text)) for text in ("second", "third"))
    kept.put(TENANT, SPACE, NOW, second, lifetime_seconds=60)
    assert kept.get(TENANT, SPACE, NOW, ANSWER.query) is ANSWER
    kept.put(TENANT, SPACE, NOW, third, lifetime_seconds=60)
    assert kept.get(TENANT, SPACE, NOW, second.query) is None
    assert kept.get(TENANT, SPACE, NOW, ANSWER.query) is ANSWER


@pytest.mark.parametrize("bound", ["MAX_TENANT_BYTES", "MAX_CACHE_BYTES"])
def test_one_tenant_flushes_its_own_answers_and_nobody_elses(
    kept: AnswerCache, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(cache, bound, 5 * cache._estimate_memory_bytes_of_answer(ANSWER))
    flood = [replace(ANSWER, query=Query(f"question {number}")) for number in range(50)]
    for cached_answer in flood:
        kept.put(STRANGER, OTHER, NOW, cached_answer, lifetime_seconds=60)
    assert kept.get(TENANT, SPACE, NOW, ANSWER.query) is ANSWER
    standing = [
        cached_answer for cached_answer in flood if kept.get(STRANGER, OTHER, NOW, cached_answer.query)
    ]
    assert flood[-1] in standing
    assert len(standing) <= 5


def test_a_tenant_never_sees_what_another_was_answered(kept: AnswerCache) -> None:
    assert kept.get(STRANGER, SPACE, NOW, ANSWER.query) is None


def test_9_3_hybrid_is_the_default_channel_and_ten_passages_of_any_score_the_default_answer() -> None:
    asked = Query("Who wrote it?")
    assert (asked.strategy, asked.top_k, asked.min_score) == (Strategy.HYBRID, 10, 0.0)

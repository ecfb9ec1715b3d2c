"""Requirements 9.4 and 12.1: every formula at points worked out by hand, its bounds and its direction."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.scoring.passage_score import (
    Hybrid,
    compute_graph_distance_score,
    compute_recency_score,
    compute_reference_count_score,
)
from app.domain.scoring.relevance import (
    FactWeights,
    compute_access_age_decay,
    compute_usage_boost,
    score_fact_relevance,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)


@pytest.mark.parametrize(("hops", "score"), [(0, 1), (1, 1 / 2), (2, 1 / 3), (None, 0)])
def test_9_4_graph_distance(hops: int | None, score: float) -> None:
    assert compute_graph_distance_score(hops) == pytest.approx(score)


@pytest.mark.parametrize(
    ("age", "weight"), [(-DAY, 1), (0 * DAY, 1), (30 * DAY, 0.5), (60 * DAY, 0.25), (90_000 * DAY, 0)]
)
def test_9_4_temporal_weight(age: timedelta, weight: float) -> None:
    assert compute_recency_score(NOW - age, now=NOW) == pytest.approx(weight)


def test_9_4_what_was_never_seen_has_no_temporal_weight() -> None:
    assert compute_recency_score(None, now=NOW) == 0


@pytest.mark.parametrize(("count", "score"), [(-1, 0), (0, 0), (3, 0.5), (9, 0.75), (10**9, 1)])
def test_9_4_reference_count(count: int, score: float) -> None:
    assert compute_reference_count_score(count) == pytest.approx(score)


@pytest.mark.parametrize(
    ("parts", "score"),
    [
        ((1, 0, 0, 0), 0.5),
        ((0, 1, 0, 0), 0.2),
        ((0, 0, 1, 0), 0.1),
        ((0, 0, 0, 1), 0.2),
        ((1, 1, 1, 1), 1.0),
        ((0.5, 0.5, 0.2, 0.1), 0.39),
    ],
)
def test_9_4_hybrid_weights(parts: tuple[float, float, float, float], score: float) -> None:
    hybrid = Hybrid(*parts)
    assert hybrid.weighted_score() == pytest.approx(score)
    assert list(hybrid.breakdown.values()) == list(parts)


def test_9_4_of_hybrid_weights_the_ratio_counts() -> None:
    parts = Hybrid(0.4, 0.8, 0.1, 0.9)
    assert parts.weighted_score([3, 1, 0, 0]) == pytest.approx(0.5)
    assert parts.weighted_score([0, 0, 0, 1000]) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("weeks", "left"), [(-5, 1), (0, 1), (1, 1), (2, 0.95), (3, 0.95**2), (1.5, 0.95**0.5), (53, 0.95**52)]
)
def test_9_4_decay_after_a_weeks_grace(weeks: float, left: float) -> None:
    assert compute_access_age_decay(NOW - weeks * WEEK, now=NOW) == pytest.approx(left)


@pytest.mark.parametrize(("accesses", "boost"), [(-1, 1), (0, 1), (9, 1.5), (99, 2), (999, 2.5)])
def test_9_4_usage_boost(accesses: int, boost: float) -> None:
    assert compute_usage_boost(accesses) == pytest.approx(boost)


@pytest.mark.parametrize(
    ("source_kind", "factor"),
    [("user_edit", 2.0), ("file", 1.5), ("system", 1.2), ("conversation", 1.0), (None, 1.0), ("other", 1.0)],
)
def test_9_4_source_weights(source_kind: str | None, factor: float) -> None:
    found = score_fact_relevance(
        confidence=1, source_kind=source_kind, status="staged", last_accessed_at=NOW, accesses=0, now=NOW
    )
    assert found.score == pytest.approx(factor)


def test_9_4_fact_score_is_the_product_of_its_breakdown() -> None:
    found = score_fact_relevance(
        confidence=0.8,
        source_kind="file",
        status="confirmed",
        last_accessed_at=NOW - 3 * WEEK,
        accesses=9,
        now=NOW,
    )
    assert found.score == pytest.approx(0.8 * 1.5 * 0.95**2 * 1.5 * 1.2)
    assert found.breakdown == pytest.approx(
        {"confidence": 0.8, "source": 1.5, "decay": 0.95**2, "usage": 1.5, "status": 1.2}
    )


def test_9_4_every_factor_of_a_fact_has_its_weight() -> None:
    weights = FactWeights({"file": 0.5}, decay=0.2, grace=DAY, usage=1, confirmed=4)
    found = score_fact_relevance(
        confidence=1,
        source_kind="file",
        status="confirmed",
        last_accessed_at=NOW - DAY - 2 * WEEK,
        accesses=9,
        now=NOW,
        weights=weights,
    )
    assert list(found.breakdown.values()) == pytest.approx([1, 0.5, 0.64, 2, 4])


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.timedeltas(DAY, 900 * DAY),
)
def test_9_4_surer_fresher_and_more_used_facts_score_no_less(
    a: float, b: float, m: int, n: int, age: timedelta
) -> None:
    def score(confidence: float, accesses: int, age: timedelta) -> float:
        return score_fact_relevance(
            confidence=confidence,
            source_kind="file",
            status="staged",
            last_accessed_at=NOW - age,
            accesses=accesses,
            now=NOW,
        ).score

    assert score(max(a, b), max(m, n), age) >= score(min(a, b), min(m, n), age + DAY) >= 0

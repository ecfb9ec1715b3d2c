"""Histories that are kept bounded and decided again: the same comes out, however much was let go; no
database.
"""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest

from app.derived.summaries.delta import NodeDelta
from app.derived.summaries.gate import Episode, GateState, Reason, Vector, decide_refresh
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.history import (
    MAX_KEPT_EPISODES,
    KeptEpisode,
    build_gate_state_from_json,
    choose_first_episode_to_keep,
    dump_gate_state_without_vector,
    is_state_stored_with_episode,
    replay_histories,
)
from app.ids import NodeId

START = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = GateSettings(drift_threshold=0.05, burst_cap=4)


def lived(node: int, episodes: int, *, trimmed: bool) -> tuple[list[KeptEpisode], Counter[Reason]]:
    """A node's history as the refresh keeps it, made from a seed; and what was decided in what is kept of
    it.
    """
    draw = random.Random(node)
    state, now, vector_of = GateState(), START, 0
    rows: list[KeptEpisode] = []
    for number in range(episodes):
        now += timedelta(minutes=draw.choice([1, 1, 2, 90, 60 * 24 * 20]))
        came, went = draw.random() < 0.6, draw.random() < 0.1
        vector: Vector = np.round(np.array([1.0, draw.choice([0.0, 0.1, 0.5])]), 1).astype(np.float32)
        episode = Episode(
            NodeDelta(came, came and draw.random() < 0.1, went, now), f"{draw.randrange(4):02x}", vector
        )
        decision = decide_refresh(state, episode, SETTINGS)
        again = (
            not decision.is_refresh
            and state.embedding is not None
            and np.array_equal(vector, state.embedding)
        )
        keep = is_state_stored_with_episode(number)
        rows.append(
            KeptEpisode(
                NodeId(UUID(int=node)), number, now, episode.facts_hash, came, episode.delta.has_added_denial,
                went,
                None if again else vector, vector_of if again else number,
                decision.is_refresh, decision.reason,
                dump_gate_state_without_vector(state) if keep else None, state.embedding if keep else None,
            )
        )  # fmt: skip
        if decision.state.embedding is not state.embedding and not again:
            # Also a skip takes over the vector of the same facts where they pool otherwise by now.
            vector_of = number
        state = decision.state
        if trimmed and keep:
            rows = [row for row in rows if row.number >= choose_first_episode_to_keep(number)]
    return rows, Counter(row.reason for row in rows)


@pytest.mark.parametrize("trimmed", [False, True])
def test_with_the_same_settings_the_same_comes_out(trimmed: bool) -> None:
    kept: list[KeptEpisode] = []
    reasons: Counter[Reason] = Counter()
    for node in range(1, 40):
        rows, counted = lived(node, 10 * node, trimmed=trimmed)
        kept += rows
        reasons += counted
    found = replay_histories(kept, SETTINGS)
    assert found.node_count == 39
    assert found.difference_counts == {}
    assert (
        found.replayed_counters.refreshed + found.replayed_counters.skipped
        == found.original_counters.refreshed + found.original_counters.skipped
        == reasons
    )
    assert len(reasons) == len(Reason)


def test_with_other_settings_it_says_what_would_differ() -> None:
    rows, _ = lived(3, 60, trimmed=True)
    patient = GateSettings(drift_threshold=2, burst_cap=4)
    found = replay_histories(rows, patient)
    assert found.replayed_counters.skipped.total() > found.original_counters.skipped.total()
    assert {then for then, _ in found.difference_counts} <= set(Reason)
    assert found.difference_counts[(Reason.DRIFTED, Reason.WITHIN_DRIFT)] > 0


def test_25_to_50_episodes_of_a_node_are_kept() -> None:
    assert MAX_KEPT_EPISODES == 25
    assert [len(lived(1, count, trimmed=True)[0]) for count in (1, 25, 26, 50, 51, 75, 76, 1_000)] == [
        1, 25, 26, 50, 26, 50, 26, 50,
    ]  # fmt: skip


def test_a_state_comes_back_as_it_was_kept() -> None:
    vector = np.ones(2, np.float32)
    state = GateState(
        "ab", vector, START, (START, START + timedelta(microseconds=1)), True, 3, True, Reason.BURST
    )
    assert build_gate_state_from_json(dump_gate_state_without_vector(state), vector) == state
    assert build_gate_state_from_json(dump_gate_state_without_vector(GateState()), None) == GateState()

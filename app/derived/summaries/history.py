"""A node's bounded history, and the replay of the gate's decisions over it. Pure.

Every `MAX_KEPT_EPISODES` episodes the previous state is stored with the episode, so that episodes before the
last but one stored state can be deleted: `MAX_KEPT_EPISODES` to twice as many episodes remain, and a replay
starts at the oldest stored state.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from app.derived.summaries.delta import NodeDelta
from app.derived.summaries.gate import (
    Episode,
    GateCounters,
    GateState,
    Reason,
    Vector,
    compute_cosine_distance_or_max,
    compute_drift_threshold,
    replay_decisions,
)
from app.derived.summaries.gate_settings import GateSettings
from app.ids import NodeId

MAX_KEPT_EPISODES = 25


@dataclass(frozen=True, slots=True)
class KeptEpisode:
    """One row of a history. `embedding` is that of the episode `vector_of`, and stored with that one only.

    `state` is stored every `MAX_KEPT_EPISODES`th time: the state before it, its vector in `state_embedding`.
    """

    node_id: NodeId
    number: int
    at: datetime
    facts_hash: str
    fact_added: bool
    denial_added: bool
    fact_removed: bool
    embedding: Vector | None
    vector_of: int
    refreshed: bool
    reason: Reason
    state: Mapping[str, Any] | None = None
    state_embedding: Vector | None = None


@dataclass
class ReplayResult:
    """Original and replayed decisions over the stored histories of a space.

    `difference_counts` counts the episodes with different decisions, by (original reason, new reason).
    """

    node_count: int = 0
    original_counters: GateCounters = field(default_factory=GateCounters)
    replayed_counters: GateCounters = field(default_factory=GateCounters)
    difference_counts: Counter[tuple[Reason, Reason]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class WeighedEpisode:
    """A stored decision with its input.

    `drift` is the cosine distance of the facts from those of the summary at that time; None if one of them
    has no vector. `threshold` is the threshold by the current settings.
    """

    episode: KeptEpisode
    drift: float | None
    threshold: float


def is_state_stored_with_episode(episode_number: int) -> bool:
    """Return whether the state before the episode of that number is stored with it."""
    return episode_number % MAX_KEPT_EPISODES == 0


def choose_first_episode_to_keep(episode_number: int) -> int:
    """Return the number of the oldest episode to keep once that of `episode_number`, which stores a state, is
    written.
    """
    return max(0, episode_number - MAX_KEPT_EPISODES)


def dump_gate_state_without_vector(state: GateState) -> dict[str, Any]:
    """Return a state without its vector, for storage as JSON."""
    return {
        "facts_hash": state.facts_hash,
        "summarised_at": state.summarised_at and state.summarised_at.isoformat(),
        "recent": [moment.isoformat() for moment in state.recent_moments],
        "in_burst": state.is_in_burst,
        "held": state.deferred_count,
        "pending": state.is_pending,
        "last_reason": state.last_reason,
    }


def build_gate_state_from_json(stored_state: Mapping[str, Any], embedding: Vector | None) -> GateState:
    """Return the state from its `dump_gate_state_without_vector` form and its vector."""
    summarised_at, reason = stored_state["summarised_at"], stored_state["last_reason"]
    return GateState(
        stored_state["facts_hash"],
        embedding,
        datetime.fromisoformat(summarised_at) if summarised_at else None,
        tuple(datetime.fromisoformat(moment) for moment in stored_state["recent"]),
        stored_state["in_burst"],
        stored_state["held"],
        stored_state["pending"],
        Reason(reason) if reason else None,
    )


def replay_histories(rows: Iterable[KeptEpisode], settings: GateSettings) -> ReplayResult:
    """Replay the decisions of stored histories; `rows` come node by node, each node's in order."""
    replay = ReplayResult()
    for _, node_rows in groupby(rows, key=lambda row: row.node_id):
        history = list(node_rows)
        first_episode = history[0]
        state = (
            build_gate_state_from_json(first_episode.state, first_episode.state_embedding)
            if first_episode.state
            else GateState()
        )
        decisions, counters = replay_decisions(
            _build_episodes_with_vectors(history, state.embedding), settings, state=state
        )
        replay.node_count += 1
        replay.replayed_counters.refreshed += counters.refreshed
        replay.replayed_counters.skipped += counters.skipped
        for row, decision in zip(history, decisions, strict=True):
            (replay.original_counters.refreshed if row.refreshed else replay.original_counters.skipped)[
                row.reason
            ] += 1
            if (row.refreshed, row.reason) != (decision.is_refresh, decision.reason):
                replay.difference_counts[(row.reason, decision.reason)] += 1
    return replay


def build_decisions_with_drift(rows: Iterable[KeptEpisode], settings: GateSettings) -> list[WeighedEpisode]:
    """Return the stored decisions about one node, in order, each with its drift and the threshold for it."""
    history = list(rows)
    first_episode = history[0] if history else None
    state = (
        build_gate_state_from_json(first_episode.state, first_episode.state_embedding)
        if first_episode and first_episode.state
        else GateState()
    )
    vector_before = state.embedding
    weighed_episodes = []
    for row, episode in zip(history, _build_episodes_with_vectors(history, vector_before), strict=True):
        vector_now = episode.embedding
        drift = (
            None
            if vector_before is None or vector_now is None
            else compute_cosine_distance_or_max(vector_before, vector_now)
        )
        weighed_episodes.append(WeighedEpisode(row, drift, compute_drift_threshold(settings, vector_now)))
        # Facts equal to the summary's are the reference for the next ones, whatever model embedded them.
        if row.refreshed or (row.reason is Reason.UNCHANGED and vector_now is not None):
            vector_before = vector_now
    return weighed_episodes


def _build_episodes_with_vectors(
    history: Iterable[KeptEpisode], vector_before: Vector | None
) -> Iterator[Episode]:
    vector_by_number: dict[int, Vector | None] = {}
    for row in history:
        if row.vector_of == row.number:
            vector_by_number[row.number] = row.embedding
        # The vector of a deleted episode is that of the summary when the state was stored.
        vector = vector_by_number.get(row.vector_of, vector_before)
        yield Episode(
            NodeDelta(row.fact_added, row.denial_added, row.fact_removed, row.at), row.facts_hash, vector
        )

"""The summary gate: decides from plain values whether a node's summary is written again (requirement 6).
Pure.

The same history always gives the same decisions: a decision depends on the state only, which is saved whether
or not the summary was written.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.derived.summaries.delta import NodeDelta
from app.derived.summaries.gate_settings import FIRM_LENGTH, GateSettings

Vector = NDArray[np.float32]


class Reason(StrEnum):
    """The reason of the gate's decision; the values are the names of its counters."""

    FIRST = "first"
    NEGATION = "negation"
    INVALIDATED = "invalidated"
    STALE = "stale"
    DRIFTED = "drifted"
    BURST_ENDED = "burst_ended"
    BURST_CAP = "burst_cap"
    UNCHANGED = "unchanged"
    WITHIN_DRIFT = "within_drift"
    BURST = "burst"


@dataclass(frozen=True, slots=True)
class GateState:
    """The state of a node's summary.

    `recent_moments` are the episodes of the burst window, `deferred_count` the number that a burst has
    deferred; `is_pending`: a change that justifies a refresh is waiting.
    """

    facts_hash: str = ""
    embedding: Vector | None = None
    summarised_at: datetime | None = None
    recent_moments: tuple[datetime, ...] = ()
    is_in_burst: bool = False
    deferred_count: int = 0
    is_pending: bool = False
    last_reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision to refresh or not, its reason, and the state to save.

    `is_refresh` and `state` belong together: if the summary could not be written, the previous state is kept.
    """

    is_refresh: bool
    reason: Reason
    state: GateState


@dataclass
class GateCounters:
    """The number of decisions by reason."""

    refreshed: Counter[Reason] = field(default_factory=Counter)
    skipped: Counter[Reason] = field(default_factory=Counter)

    def count_decision(self, decision: Decision) -> None:
        """Count one decision."""
        (self.refreshed if decision.is_refresh else self.skipped)[decision.reason] += 1

    @property
    def skipped_share(self) -> float:
        """Return the share of decisions without a refresh, 0 to 1."""
        skip_count, refresh_count = self.skipped.total(), self.refreshed.total()
        return skip_count / (skip_count + refresh_count) if skip_count + refresh_count else 0.0


@dataclass(frozen=True, slots=True)
class Episode:
    """One ingest as the gate sees it: the delta, and the hash and pooled vector of the node's active facts
    after it.
    """

    delta: NodeDelta
    facts_hash: str
    embedding: Vector | None


def decide_refresh(state: GateState, episode: Episode, settings: GateSettings) -> Decision:
    """Return the decision: refresh, skip or defer. The first matching rule applies:

    no summary yet → refresh; an invalidated fact or a new denial → refresh; older than the staleness limit →
    refresh; unchanged facts → skip; a burst → defer, until its cap; pooled facts within the drift threshold →
    skip, also after a burst; else refresh.
    """
    now = episode.delta.at
    recent_moments = tuple(moment for moment in state.recent_moments if now - moment < settings.burst_window)
    if not episode.delta.is_empty:
        recent_moments = (*recent_moments, now)
    is_burst = len(recent_moments) >= settings.burst_episodes
    has_changed = episode.facts_hash != state.facts_hash

    def build_refresh_decision(reason: Reason) -> Decision:
        renewed_state = GateState(
            episode.facts_hash, episode.embedding, now, recent_moments, is_burst, 0, False, reason
        )
        return Decision(True, reason, renewed_state)

    def build_skip_decision(reason: Reason, *, deferred_count: int = 0, is_pending: bool = False) -> Decision:
        # Hash and vector of the summary are kept, so that skipped changes accumulate.
        skipped_state = replace(
            state,
            recent_moments=recent_moments,
            is_in_burst=is_burst,
            deferred_count=deferred_count,
            is_pending=is_pending,
            last_reason=reason,
        )
        return Decision(False, reason, skipped_state)

    if state.summarised_at is None:
        return build_refresh_decision(Reason.FIRST)
    if episode.delta.has_removed_fact:
        return build_refresh_decision(Reason.INVALIDATED)
    if has_changed and episode.delta.has_added_denial:
        return build_refresh_decision(Reason.NEGATION)
    if now - state.summarised_at > settings.staleness_limit:
        return build_refresh_decision(Reason.STALE)
    if not has_changed:
        # The facts are the same: if their vector differs, by another embedding model, it becomes the
        # reference for drift.
        if episode.embedding is not None:
            state = replace(state, embedding=episode.embedding)
        return build_skip_decision(Reason.UNCHANGED)
    if is_burst and state.deferred_count + 1 < settings.burst_cap:
        return build_skip_decision(Reason.BURST, deferred_count=state.deferred_count + 1, is_pending=True)
    has_drifted = compute_cosine_distance_or_max(
        state.embedding, episode.embedding
    ) > compute_drift_threshold(settings, episode.embedding)
    if not has_drifted:
        return build_skip_decision(Reason.WITHIN_DRIFT)
    if is_burst:
        return build_refresh_decision(Reason.BURST_CAP)
    return build_refresh_decision(Reason.BURST_ENDED if state.is_pending else Reason.DRIFTED)


def compute_time_to_evaluate_deferred_node(state: GateState, settings: GateSettings) -> datetime | None:
    """Return when a deferred node is to be evaluated again with an empty delta; None if nothing is
    deferred.
    """
    return (
        max(state.recent_moments) + settings.burst_window
        if state.is_pending and state.recent_moments
        else None
    )


def compute_drift_threshold(settings: GateSettings, pooled_vector: Vector | None) -> float:
    """Return the maximum cosine distance, 0 to 2, at which facts with this pooled vector count as unchanged.

    A fact turns a sum of vectors by at most 1 / (2 * length²): with a fixed threshold a new fact among many
    would never count. Above `FIRM_LENGTH` the threshold decreases in the same way, so that one fact has the
    same effect among 500 as among 10.
    """
    length = 0.0 if pooled_vector is None else float(np.linalg.norm(pooled_vector.astype(np.float64)))
    return settings.drift_threshold * min(1.0, (FIRM_LENGTH / max(length, 1.0)) ** 2)


def compute_cosine_distance_or_max(old_vector: Vector | None, new_vector: Vector | None) -> float:
    """Return the cosine distance of two pooled vectors, 0 to 2; 2 if one is missing or of another model."""
    if old_vector is None or new_vector is None or old_vector.shape != new_vector.shape:
        return 2.0
    # Double precision: the change by one fact among hundreds is below single precision.
    earlier_vector, later_vector = old_vector.astype(np.float64), new_vector.astype(np.float64)
    length_product = float(np.linalg.norm(earlier_vector) * np.linalg.norm(later_vector))
    return (
        2.0
        if length_product == 0.0
        else max(0.0, 1.0 - float(np.dot(earlier_vector, later_vector)) / length_product)
    )


def sum_normalised_vectors(vectors: Sequence[Vector]) -> Vector | None:
    """Return the sum of the facts' vectors, each normalised to length one; None without facts.

    Its direction is that of their mean; the longer it is (at most their number), the less one more fact turns
    it.
    """
    if not len(vectors):
        return None
    vector_rows = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(vector_rows, axis=1, keepdims=True)
    return np.asarray((vector_rows / np.maximum(lengths, 1e-12)).sum(axis=0), np.float32)


class GateReplay(NamedTuple):
    """The decisions of the gate over a node's history, and their counts."""

    decisions: list[Decision]
    counters: GateCounters


def replay_decisions(
    episodes: Iterable[Episode], settings: GateSettings, *, state: GateState | None = None
) -> GateReplay:
    """Return the gate's decisions over a node's history, and the counters; deterministic."""
    decisions, counters = [], GateCounters()
    current_state = state or GateState()
    for episode in episodes:
        decision = decide_refresh(current_state, episode, settings)
        counters.count_decision(decision)
        decisions.append(decision)
        current_state = decision.state
    return GateReplay(decisions, counters)

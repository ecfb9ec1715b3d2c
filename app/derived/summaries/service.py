"""Summaries for API, CLI, dashboard and other domains (requirement 6)."""

from app.db.session import SpaceSession
from app.derived.summaries import read_repository
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.history import (
    ReplayResult,
    WeighedEpisode,
    build_decisions_with_drift,
    replay_histories,
)
from app.derived.summaries.read_repository import (
    count_nodes_and_facts_to_summarise,
    count_tokens_and_edges_of_newest_chunks,
    list_deferred_summaries,
    list_summaries,
)
from app.derived.summaries.scheduling import get_gate_settings_of_space
from app.derived.summaries.shapes import GateReport, NodeSummary
from app.errors import NotFound
from app.ids import NodeId

__all__ = [
    "count_nodes_and_facts_to_summarise",
    "count_tokens_and_edges_of_newest_chunks",
    "list_deferred_summaries",
    "list_summaries",
]

MAX_SHOWN_SKIPS = 50


def get_summary(space: SpaceSession, node_id: NodeId) -> NodeSummary:
    """Return the node's summary and the gate's last decision. Raises NotFound if it has none."""
    summary = find_summary(space, node_id)
    if summary is None:
        raise NotFound("summary")
    return summary


def find_summary(space: SpaceSession, node_id: NodeId) -> NodeSummary | None:
    """Return the node's summary; None if it has none."""
    return read_repository.get_summaries(space, [node_id]).get(node_id)


def list_gate_decisions_about_node(space: SpaceSession, node_id: NodeId) -> list[WeighedEpisode]:
    """Return the stored decisions of the gate about a node, oldest first, each with its input."""
    return build_decisions_with_drift(
        read_repository.iterate_histories(space, node_id), get_gate_settings_of_space(space)
    )


def build_gate_report(space: SpaceSession, *, max_skips: int = MAX_SHOWN_SKIPS) -> GateReport:
    """Return the decisions of the space's gate so far, by reason, and the newest skips stored for review."""
    return GateReport(
        tuple(read_repository.count_decisions_by_reason(space)),
        tuple(read_repository.list_skips(space, limit=max_skips)),
    )


def replay_gate(
    space: SpaceSession, settings: GateSettings, *, node_id: NodeId | None = None
) -> ReplayResult:
    """Replay the gate with these settings over the kept histories of all nodes, or of one."""
    return replay_histories(read_repository.iterate_histories(space, node_id), settings)

"""Summaries as doors and other domains use them (requirement 6)."""

from collections.abc import Sequence

from app.db.session import SpaceSession
from app.derived.summaries import read_repository
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.history import Replayed, WeighedEpisode, replay_kept, weigh
from app.derived.summaries.scheduling import gate_of
from app.derived.summaries.shapes import GateReport, NodeSummary
from app.errors import NotFound
from app.ids import NodeId

SKIPS_SHOWN = 50


def get_summary(space: SpaceSession, node_id: NodeId) -> NodeSummary:
    """The node's summary and what the gate last decided. Raises NotFound where it has none."""
    summary = find_summary(space, node_id)
    if summary is None:
        raise NotFound("summary")
    return summary


def find_summary(space: SpaceSession, node_id: NodeId) -> NodeSummary | None:
    """The node's summary; None where it has none."""
    return read_repository.get_summaries(space, [node_id]).get(node_id)


def list_summaries(
    space: SpaceSession, *, after: tuple[int, NodeId] | None = None, limit: int = 50
) -> Sequence[NodeSummary]:
    """A page of summaries, of the most mentioned nodes first; go on after (mention_count, node_id) of the
    last.
    """
    return read_repository.list_summaries(space, after=after, limit=limit)


def list_waiting(space: SpaceSession, *, limit: int = 20) -> Sequence[NodeSummary]:
    """The summaries that a burst put off, the first to be looked at again first."""
    return read_repository.list_waiting(space, limit=limit)


def decisions_of(space: SpaceSession, node_id: NodeId) -> list[WeighedEpisode]:
    """The kept decisions of the gate about a node, oldest first, each with what it weighed."""
    return weigh(read_repository.read_history(space, node_id), gate_of(space))


def count_told(space: SpaceSession, *, most: int) -> tuple[int, int]:
    """(nodes that facts speak of, facts that their summaries could tell), of `most` where there are more
    nodes.
    """
    return read_repository.count_told(space, most=most)


def density(space: SpaceSession, *, chunks: int) -> tuple[int, int]:
    """(tokens, edges) of the newest `chunks` chunks: how much is said here in how many words."""
    return read_repository.density(space, chunks=chunks)


def gate_report(space: SpaceSession, *, skips: int = SKIPS_SHOWN) -> GateReport:
    """Return the decisions of the space's gate so far, by reason, and the newest skips kept for review."""
    return GateReport(
        tuple(read_repository.read_counts(space)), tuple(read_repository.read_skips(space, limit=skips))
    )


def replay(space: SpaceSession, settings: GateSettings, *, node_id: NodeId | None = None) -> Replayed:
    """Replay the gate with these settings over the kept histories of all nodes, or of one."""
    return replay_kept(read_repository.read_history(space, node_id), settings)

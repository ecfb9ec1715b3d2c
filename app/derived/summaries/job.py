"""The job that keeps summaries up to date: look at the nodes whose facts changed, ask the gate, write what it
wants.

No transaction is open while a model writes. All that one batch of nodes brings is one transaction, its notes
taken away with it: a job that dies leaves whole states, and looks again at what it had not saved.
"""

from collections.abc import Sequence
from datetime import datetime

import structlog

from app.db.session import SpaceSession
from app.derived.summaries import note_repository, repository, scheduling
from app.derived.summaries.gate_input import Look, look_at, vector_edges
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.shapes import NodeToLookAt, Summary
from app.derived.summaries.writers import Writer, Writers
from app.ids import NodeId
from app.jobs.context import JobContext
from app.observability.counters import GATE_DECISIONS
from app.tenancy.spaces import service as spaces

log = structlog.get_logger(__name__)


def refresh_summaries(run: JobContext, writers: Writers) -> None:
    """Look at every node whose facts changed or whose burst has ended, and save what the gate decides.

    Raises LeaseLost, CancelRequested or StopRequested where the worker must let go of the job, and what the
    writer raises.
    """
    counts = {"looked": 0, "refreshed": 0, "skipped": 0}
    with run.open_space() as space:
        run.fence(space, stage="looking at what changed")
        counts |= run.counts(space)
        gate = scheduling.gate_of(space)
    while _gather(run):
        run.check_stop()
    with run.open_space() as space:
        run.fence(space)
        spaces.lock_graph_as_it_is(space)
        note_repository.drop_small_notes(space)
    writer = writers.for_job(run.lease, run.stop_requested)
    after: NodeId | None = None
    while True:
        run.check_stop()
        with run.open_space() as space:
            run.fence(space)
            now = run.now(space)
            nodes = repository.next_nodes(space, after=after, now=now)
            looks = _look(space, nodes, gate, now=now)
            vector_set, erasures = space.opened.vector_set, space.opened.erasures
        if not nodes:
            break
        run.checkpoint("looked")
        written = _write(writer, looks)
        run.checkpoint("written")
        decided = {look.node.id for look in looks}
        with run.open_space() as space:
            run.fence(space)
            if spaces.lock_graph_as_it_is(space) != erasures:
                # Something was deleted meanwhile, and its words may be in what was written: look again.
                continue
            without = [node for node in nodes if node.id not in decided]
            saved = repository.save(space, looks, written, without=without, vector_set=vector_set, now=now)
            run.checkpoint("saving")
            counts["looked"] += len(nodes)
            counts["refreshed"] += sum(look.decision.refresh for look in saved)
            counts["skipped"] += sum(not look.decision.refresh for look in saved)
            run.fence(space, counts=counts, progressed=True)
        for look in saved:
            decision = "refresh" if look.decision.refresh else "skip"
            run.database.counters.add(GATE_DECISIONS, decision, look.decision.reason.value)
        run.checkpoint("saved")
        after = nodes[-1].id
    with run.open_space() as space:
        run.fence(space)
        scheduling.look_again(space, now=run.now(space))
        run.done(space, counts=counts)


def _gather(run: JobContext) -> bool:
    with run.open_space() as space:
        run.fence(space)
        spaces.lock_graph_as_it_is(space)
        return note_repository.gather_notes(space)


def _look(
    space: SpaceSession, nodes: Sequence[NodeToLookAt], gate: GateSettings, *, now: datetime
) -> list[Look]:
    if not nodes:
        return []
    facts = repository.read_facts(space, [node.id for node in nodes])
    vectors = repository.read_vectors(
        space, sorted({edge for rows in facts.values() for edge in vector_edges(rows)})
    )
    looks = [look_at(node, facts.get(node.id, ()), vectors, gate, now=now) for node in nodes]
    return [look for look in looks if look is not None]


def _write(writer: Writer, looks: Sequence[Look]) -> dict[NodeId, Summary]:
    materials = [look.material for look in looks if look.decision.refresh]
    if not materials:
        return {}
    return {
        material.node_id: summary
        for material, summary in zip(materials, writer.write(materials), strict=True)
    }

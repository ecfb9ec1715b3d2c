"""The job that keeps summaries up to date: evaluate the nodes whose facts changed, and write the due
summaries.

No transaction is open while a model writes. The results of one batch of nodes are one transaction, which also
deletes its notes: after a crash all states are complete, and unsaved nodes are evaluated again.
"""

from collections.abc import Sequence
from datetime import datetime

import structlog

from app.db.session import SpaceSession
from app.derived.summaries import note_repository, repository, scheduling
from app.derived.summaries.gate_input import GateEvaluation, evaluate_gate_of_node, list_one_edge_of_each_fact
from app.derived.summaries.gate_settings import GateSettings
from app.derived.summaries.shapes import NodeToEvaluate, Summary
from app.derived.summaries.writers import ModelWriter, RulesWriter, Writer
from app.ids import NodeId
from app.jobs.context import JobContext
from app.llm.client import ModelClient
from app.llm.model_calls.asker import create_asker_of_job
from app.observability.counters import GATE_DECISIONS
from app.tenancy.spaces import service as spaces

log = structlog.get_logger(__name__)


def evaluate_changed_nodes_and_save_summaries(run: JobContext, client: ModelClient | None = None) -> None:
    """Evaluate every node whose facts changed or whose burst has ended, and save the results.

    A model writes the summaries; rules without a client.

    Raises LeaseLost, CancelRequested or StopRequested if the worker must release the job, and the errors of
    the writer.
    """
    counts = {"looked": 0, "refreshed": 0, "skipped": 0}
    with run.open_space() as space:
        run.record_progress(space, stage="looking at what changed")
        counts |= run.get_counts_of_earlier_attempts(space)
        gate_settings = scheduling.get_gate_settings_of_space(space)
    while _merge_batch_of_change_notes(run):
        run.raise_if_stop_requested()
    with run.open_space() as space:
        run.check_lease(space)
        spaces.lock_graph_and_read_erasure_count(space)
        note_repository.delete_notes_on_nodes_with_few_facts(space)
    writer = RulesWriter() if client is None else ModelWriter(create_asker_of_job(run, client))
    last_node_id: NodeId | None = None
    while True:
        run.raise_if_stop_requested()
        with run.open_space() as space:
            run.check_lease(space)
            now = run.now(space)
            nodes = repository.list_next_nodes_to_evaluate(space, after=last_node_id, now=now)
            evaluations = _evaluate_gate_of_nodes(space, nodes, gate_settings, now=now)
            vector_set, erasures = space.opening_state.vector_set, space.opening_state.erasures
        if not nodes:
            break
        run.checkpoint("looked")
        summary_by_node = _write_summaries(writer, evaluations)
        run.checkpoint("written")
        decided_ids = {evaluation.node.id for evaluation in evaluations}
        with run.open_space() as space:
            run.check_lease(space)
            if spaces.lock_graph_and_read_erasure_count(space) != erasures:
                # Words were deleted meanwhile and may be in the new summaries: evaluate again.
                continue
            undecided_nodes = [node for node in nodes if node.id not in decided_ids]
            saved_evaluations = repository.store_evaluations_and_list_saved(
                space,
                evaluations,
                summary_by_node,
                nodes_losing_summary=undecided_nodes,
                vector_set=vector_set,
                now=now,
            )
            run.checkpoint("saving")
            counts["looked"] += len(nodes)
            counts["refreshed"] += sum(evaluation.decision.is_refresh for evaluation in saved_evaluations)
            counts["skipped"] += sum(not evaluation.decision.is_refresh for evaluation in saved_evaluations)
            run.record_progress(space, counts=counts, has_progressed=True)
        for evaluation in saved_evaluations:
            decision = "refresh" if evaluation.decision.is_refresh else "skip"
            run.database.counters.add(GATE_DECISIONS, decision, evaluation.decision.reason.value)
        run.checkpoint("saved")
        last_node_id = nodes[-1].id
    with run.open_space() as space:
        run.check_lease(space)
        scheduling.schedule_deferred_evaluation(space, now=run.now(space))
        run.finish_done(space, counts=counts)


def _merge_batch_of_change_notes(run: JobContext) -> bool:
    with run.open_space() as space:
        run.check_lease(space)
        spaces.lock_graph_and_read_erasure_count(space)
        return note_repository.merge_batch_of_change_notes_if_any(space)


def _evaluate_gate_of_nodes(
    space: SpaceSession, nodes: Sequence[NodeToEvaluate], gate_settings: GateSettings, *, now: datetime
) -> list[GateEvaluation]:
    if not nodes:
        return []
    facts_by_node = repository.list_strongest_facts_of_nodes(space, [node.id for node in nodes])
    vectors = repository.get_vectors_of_edges(
        space,
        sorted({edge_id for rows in facts_by_node.values() for edge_id in list_one_edge_of_each_fact(rows)}),
    )
    evaluations = [
        evaluate_gate_of_node(node, facts_by_node.get(node.id, ()), vectors, gate_settings, now=now)
        for node in nodes
    ]
    return [evaluation for evaluation in evaluations if evaluation is not None]


def _write_summaries(writer: Writer, evaluations: Sequence[GateEvaluation]) -> dict[NodeId, Summary]:
    materials = [evaluation.material for evaluation in evaluations if evaluation.decision.is_refresh]
    if not materials:
        return {}
    return {
        material.node_id: summary
        for material, summary in zip(materials, writer.write_summaries(materials), strict=True)
    }

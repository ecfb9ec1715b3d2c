"""Reads and writes of the refresh of summaries: whole batches of nodes with one statement each."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np

from app.db.session import SpaceSession
from app.derived.summaries.delta import SummaryFact, split_fact_keys
from app.derived.summaries.gate import GateState, Reason, Vector
from app.derived.summaries.gate_input import MAX_FACTS, GateEvaluation, format_fact
from app.derived.summaries.history import (
    choose_first_episode_to_keep,
    dump_gate_state_without_vector,
    is_state_stored_with_episode,
)
from app.derived.summaries.shapes import FactRow, NodeToEvaluate, Summary
from app.domain.relation_types import ADDRESSES
from app.graph.validity import Polarity
from app.ids import LOWEST_ID, EdgeId, NodeId, create_id

BATCH_NODES, BATCH_FACTS = 500, 20_000
"""Maximum numbers of nodes and facts in a batch: limits for memory and statement time."""
SKIP_SAMPLE_INTERVAL, MAX_STORED_SKIPS = 50, 200
"""Of the skips in a space, the first and then every fiftieth is stored for review; at most 200 are kept."""
MAX_NEW_FACTS = 5


def list_next_nodes_to_evaluate(
    space: SpaceSession, *, after: NodeId | None, now: datetime
) -> list[NodeToEvaluate]:
    """Return the next batch of nodes to evaluate, in the order of their ids; [] after the last."""
    rows = space.run(
        "derived.summaries.list_next_nodes_to_evaluate",
        {
            "after": after or LOWEST_ID,
            "now": now,
            "nodes": BATCH_NODES,
            "facts": BATCH_FACTS,
            "most": 2 * MAX_FACTS,
        },
        should_prepare=False,
    )
    return [_build_node_from_row(row) for row in rows]


def _build_node_from_row(row: Sequence[Any]) -> NodeToEvaluate:
    (node_id, change, name, node_type, facts_hash, embedding, vector_of, summarised_at, recent_moments, is_in_burst, deferred_count, is_pending, reason) = row[:13]  # fmt: skip  # noqa: E501
    if facts_hash is None:
        return NodeToEvaluate(NodeId(node_id), change, name, node_type)
    state = GateState(
        facts_hash.hex(),
        parse_vector(embedding),
        summarised_at,
        tuple(recent_moments),
        is_in_burst,
        deferred_count,
        is_pending,
        Reason(reason),
    )
    return NodeToEvaluate(
        NodeId(node_id), change, name, node_type, state, vector_of, split_fact_keys(row[13]), row[14]
    )


def list_strongest_facts_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId]
) -> dict[NodeId, list[FactRow]]:
    """Return the strongest active facts of each node, at most MAX_FACTS in each direction."""
    parameters = {"nodes": list(node_ids), "most": MAX_FACTS, "addresses": list(ADDRESSES)}
    rows = space.run("derived.summaries.list_strongest_facts_of_nodes", parameters, should_prepare=False)
    rows_by_node: dict[NodeId, list[FactRow]] = defaultdict(list)
    for node_id, edge_id, from_id, source, relation_type, to_id, target, weight, quote, polarity in rows:
        end_ids, is_denied = (str(from_id), str(to_id)), polarity == Polarity.DENIED
        fact = SummaryFact(source, relation_type, target, quote or "", end_ids, is_denied)
        rows_by_node[NodeId(node_id)].append(FactRow(EdgeId(edge_id), fact, weight))
    return rows_by_node


def get_vectors_of_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> dict[EdgeId, Vector]:
    """Return the vectors of these facts, where they have one."""
    rows = (
        space.run("derived.summaries.get_vectors_of_edges", {"edges": list(edge_ids)}, should_prepare=False)
        if edge_ids
        else []
    )
    # pgvector's binary format: length and two unused bytes, then the numbers in half precision.
    return {
        EdgeId(edge_id): np.frombuffer(vector_bytes, ">f2", offset=4).astype(np.float32)
        for edge_id, vector_bytes in rows
    }


def store_evaluations_and_list_saved(
    space: SpaceSession,
    evaluations: Sequence[GateEvaluation],
    summary_by_node: dict[NodeId, Summary],
    *,
    nodes_losing_summary: Sequence[NodeToEvaluate],
    vector_set: int,
    now: datetime,
) -> list[GateEvaluation]:
    """Save the results of one batch: summaries, states, history, counters; return what was saved.

    `nodes_losing_summary` are nodes without a decision, `vector_set` is the set from which the vectors were
    read. A node that another run has evaluated meanwhile is left unchanged. The caller holds the graph
    (`tenancy.spaces.lock_graph_unchanged`).
    """
    refreshed_evaluations = [evaluation for evaluation in evaluations if evaluation.decision.is_refresh]
    skipped_evaluations = [evaluation for evaluation in evaluations if not evaluation.decision.is_refresh]
    saved_ids = (
        {row[0] for row in _write_summaries(space, refreshed_evaluations, summary_by_node, vector_set)}
        if refreshed_evaluations
        else set()
    )
    if skipped_evaluations:
        saved_ids |= {row[0] for row in _write_states(space, skipped_evaluations, vector_set)}
    saved_evaluations = [evaluation for evaluation in evaluations if evaluation.node.id in saved_ids]
    dropped_ids = [node.id for node in nodes_losing_summary if node.episode_count]
    if dropped_ids:
        space.run("derived.summaries.drop_summaries", {"ids": dropped_ids})
    _delete_processed_notes(
        space, [*(evaluation.node for evaluation in saved_evaluations), *nodes_losing_summary]
    )
    if saved_evaluations:
        _write_episodes(space, saved_evaluations)
        _store_decisions(space, saved_evaluations, now)
    return saved_evaluations


def _delete_processed_notes(space: SpaceSession, nodes: Iterable[NodeToEvaluate]) -> None:
    """Delete the notes with which these nodes were read; later notes stay."""
    noted_nodes = [node for node in nodes if node.change is not None]
    if noted_nodes:
        parameters = {
            "ids": [node.id for node in noted_nodes],
            "changes": [node.change for node in noted_nodes],
        }
        space.run("derived.summaries.drop_notes", parameters, should_prepare=False)


def _build_state_columns(evaluations: Sequence[GateEvaluation]) -> dict[str, list[Any]]:
    states = [evaluation.decision.state for evaluation in evaluations]
    return {
        "ids": [evaluation.node.id for evaluation in evaluations],
        "numbers": [evaluation.node.episode_count for evaluation in evaluations],
        "times": [evaluation.episode.delta.at for evaluation in evaluations],
        # Lists of different lengths are not a Postgres array: each is sent as an array literal.
        "recent": [
            "{" + ",".join(f'"{moment.isoformat()}"' for moment in state.recent_moments) + "}"
            for state in states
        ],
        "bursts": [state.is_in_burst for state in states],
        "held": [state.deferred_count for state in states],
        "pending": [state.is_pending for state in states],
        "due": [evaluation.due_at for evaluation in evaluations],
        "reasons": [evaluation.decision.reason.value for evaluation in evaluations],
        "seen": [evaluation.fact_keys for evaluation in evaluations],
    }


def _write_states(
    space: SpaceSession, evaluations: Sequence[GateEvaluation], vector_set: int
) -> list[tuple[Any, ...]]:
    other_vectors = [
        evaluation.decision.state.embedding if _has_vector_of_other_model(evaluation) else None
        for evaluation in evaluations
    ]
    return space.run(
        "derived.summaries.write_states",
        {
            **_build_state_columns(evaluations),
            "embeddings": [_format_vector_as_text(vector) for vector in other_vectors],
            "of_set": vector_set,
        },
        should_prepare=False,
    )


def _has_vector_of_other_model(evaluation: GateEvaluation) -> bool:
    """Return whether a skip stored the vector of the same facts by another model."""
    vector_before, vector_after = evaluation.node.state.embedding, evaluation.decision.state.embedding
    return vector_after is not None and (
        vector_before is None or not np.array_equal(vector_before, vector_after)
    )


def _write_summaries(
    space: SpaceSession,
    evaluations: Sequence[GateEvaluation],
    summary_by_node: dict[NodeId, Summary],
    vector_set: int,
) -> list[tuple[Any, ...]]:
    summaries = [summary_by_node[evaluation.node.id] for evaluation in evaluations]
    return space.run(
        "derived.summaries.write_summaries",
        {
            **_build_state_columns(evaluations),
            "texts": [summary.text for summary in summaries],
            "citations": [_dump_citations_as_json(summary) for summary in summaries],
            "authors": [summary.written_by for summary in summaries],
            "hashes": [bytes.fromhex(evaluation.episode.facts_hash) for evaluation in evaluations],
            "embeddings": [
                _format_vector_as_text(evaluation.episode.embedding) for evaluation in evaluations
            ],
            "of_set": vector_set,
        },
        should_prepare=False,
    )


def _write_episodes(space: SpaceSession, evaluations: Sequence[GateEvaluation]) -> None:
    episode_numbers = [evaluation.node.episode_count for evaluation in evaluations]
    states = [
        evaluation.node.state if is_state_stored_with_episode(evaluation.node.episode_count) else None
        for evaluation in evaluations
    ]
    space.run(
        "derived.summaries.write_episodes",
        {
            "ids": [evaluation.node.id for evaluation in evaluations],
            "numbers": episode_numbers,
            "times": [evaluation.episode.delta.at for evaluation in evaluations],
            "hashes": [bytes.fromhex(evaluation.episode.facts_hash) for evaluation in evaluations],
            "came": [evaluation.episode.delta.has_added_fact for evaluation in evaluations],
            "negates": [evaluation.episode.delta.has_added_denial for evaluation in evaluations],
            "went": [evaluation.episode.delta.has_removed_fact for evaluation in evaluations],
            **_build_vector_columns(evaluations),
            "refreshed": [evaluation.decision.is_refresh for evaluation in evaluations],
            "reasons": [evaluation.decision.reason.value for evaluation in evaluations],
            "states": [
                None if state is None else json.dumps(dump_gate_state_without_vector(state))
                for state in states
            ],
            "state_embeddings": [
                None if state is None else _format_vector_as_text(state.embedding) for state in states
            ],
        },
        should_prepare=False,
    )
    _trim_episodes(
        space,
        [
            evaluation.node
            for evaluation in evaluations
            if is_state_stored_with_episode(evaluation.node.episode_count)
        ],
    )


def _build_vector_columns(evaluations: Sequence[GateEvaluation]) -> dict[str, list[Any]]:
    """Return each episode's vector, or the number of the episode that has the same one."""
    flagged_evaluations = list(zip(evaluations, map(_has_vector_of_summary, evaluations), strict=True))
    return {
        "embeddings": [
            None if is_repeat else _format_vector_as_text(evaluation.episode.embedding)
            for evaluation, is_repeat in flagged_evaluations
        ],
        "vectors_of": [
            evaluation.node.vector_of if is_repeat else evaluation.node.episode_count
            for evaluation, is_repeat in flagged_evaluations
        ],
    }


def _trim_episodes(space: SpaceSession, nodes: Sequence[NodeToEvaluate]) -> None:
    """Delete the episodes before the first one that each node still needs."""
    first_kept_numbers = {
        node.id: choose_first_episode_to_keep(node.episode_count)
        for node in nodes
        if choose_first_episode_to_keep(node.episode_count)
    }
    if first_kept_numbers:
        space.run(
            "derived.summaries.trim_episodes",
            {"ids": list(first_kept_numbers), "before": list(first_kept_numbers.values())},
        )


def _has_vector_of_summary(evaluation: GateEvaluation) -> bool:
    """Return whether an episode has the same vector as the summary, so that it is not stored again."""
    episode_vector, state_vector = evaluation.episode.embedding, evaluation.node.state.embedding
    return (
        not evaluation.decision.is_refresh
        and episode_vector is not None
        and state_vector is not None
        and bool(np.array_equal(episode_vector, state_vector))
    )


def _store_decisions(space: SpaceSession, evaluations: Sequence[GateEvaluation], now: datetime) -> None:
    decision_counts = Counter(
        (evaluation.decision.reason.value, evaluation.decision.is_refresh) for evaluation in evaluations
    )
    ((count_before,),) = space.run(
        "derived.summaries.count_decisions",
        {
            "reasons": [reason for reason, _ in decision_counts],
            "refreshed": [is_refreshed for _, is_refreshed in decision_counts],
            "decisions": list(decision_counts.values()),
            "now": now,
        },
    )
    sampled_skips = sample_skips_for_review(
        [evaluation for evaluation in evaluations if not evaluation.decision.is_refresh], count_before
    )
    if sampled_skips:
        space.run(
            "derived.summaries.write_skips",
            {
                "most": MAX_STORED_SKIPS,
                "ids": [create_id() for _ in sampled_skips],
                "nodes": [evaluation.node.id for evaluation in sampled_skips],
                "numbers": [evaluation.node.episode_count for evaluation in sampled_skips],
                "times": [evaluation.episode.delta.at for evaluation in sampled_skips],
                "reasons": [evaluation.decision.reason.value for evaluation in sampled_skips],
                "drifts": [evaluation.drift for evaluation in sampled_skips],
                "new_facts": [
                    json.dumps([format_fact(fact) for fact in evaluation.new_facts[:MAX_NEW_FACTS]])
                    for evaluation in sampled_skips
                ],
            },
            should_prepare=False,
        )


def sample_skips_for_review(skips: Sequence[GateEvaluation], skip_count_before: int) -> list[GateEvaluation]:
    """Return the skips to store for review, after `skip_count_before` earlier ones of the space; the newest
    200 at most.
    """
    return [skip for index, skip in enumerate(skips, skip_count_before) if index % SKIP_SAMPLE_INTERVAL == 0][
        -MAX_STORED_SKIPS:
    ]


def parse_vector(vector_text: str | None) -> Vector | None:
    """Return a vector from pgvector's text format."""
    return None if vector_text is None else np.array(json.loads(vector_text), np.float32)


def _format_vector_as_text(vector: Vector | None) -> str | None:
    return None if vector is None else str(vector.tolist())


def _dump_citations_as_json(summary: Summary) -> str:
    return json.dumps([asdict(citation) for citation in summary.citations], default=str)

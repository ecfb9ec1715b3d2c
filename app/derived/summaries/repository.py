"""Reads and writes of the refresh of summaries: whole batches of nodes with one statement each."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from app.db.session import SpaceSession
from app.derived.summaries.delta import SummaryFact, split_fact_keys
from app.derived.summaries.gate import GateState, Reason, Vector
from app.derived.summaries.gate_input import MOST_FACTS, Look, fact_in_words
from app.derived.summaries.history import first_episode_to_keep, keeps_state, state_to_json
from app.derived.summaries.shapes import FactRow, NodeToLookAt, Summary
from app.domain.relation_types import ADDRESSES
from app.graph.validity import Polarity
from app.ids import EdgeId, NodeId, new_id

BATCH_NODES, BATCH_FACTS = 500, 20_000
"""Maximum numbers of nodes and facts in a batch: limits for memory and statement time."""
SAMPLE_EVERY, SKIPS_KEPT = 50, 200
"""Every so many skips of a space, beginning with the first, one is stored for review; and the number
stored.
"""
NEW_FACTS_SHOWN = 5
_NOWHERE = NodeId(UUID(int=0))


def next_nodes_to_look_at(space: SpaceSession, *, after: NodeId | None, now: datetime) -> list[NodeToLookAt]:
    """Return the next batch of nodes to evaluate, in the order of their ids; [] after the last."""
    rows = space.run(
        "derived.summaries.next_nodes_to_look_at",
        {
            "after": after or _NOWHERE,
            "now": now,
            "nodes": BATCH_NODES,
            "facts": BATCH_FACTS,
            "most": 2 * MOST_FACTS,
        },
        prepare=False,
    )
    return [_node_from_row(row) for row in rows]


def _node_from_row(row: Sequence[Any]) -> NodeToLookAt:
    (node_id, change, name, node_type, facts_hash, embedding, vector_of, summarised_at, recent, burst, held_back, pending, reason) = row[:13]  # fmt: skip  # noqa: E501
    if facts_hash is None:
        return NodeToLookAt(NodeId(node_id), change, name, node_type)
    state = GateState(
        facts_hash.hex(),
        parse_vector(embedding),
        summarised_at,
        tuple(recent),
        burst,
        held_back,
        pending,
        Reason(reason),
    )
    return NodeToLookAt(
        NodeId(node_id), change, name, node_type, state, vector_of, split_fact_keys(row[13]), row[14]
    )


def strongest_facts_of_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> dict[NodeId, list[FactRow]]:
    """Return the strongest active facts of each node, at most MOST_FACTS in each direction."""
    parameters = {"nodes": list(node_ids), "most": MOST_FACTS, "addresses": list(ADDRESSES)}
    rows = space.run("derived.summaries.strongest_facts_of_nodes", parameters, prepare=False)
    rows_by_node: dict[NodeId, list[FactRow]] = defaultdict(list)
    for node, edge, start, source, relation_type, end, target, weight, quote, polarity in rows:
        end_ids, denied = (str(start), str(end)), polarity == Polarity.DENIED
        fact = SummaryFact(source, relation_type, target, quote or "", end_ids, denied)
        rows_by_node[NodeId(node)].append(FactRow(EdgeId(edge), fact, weight))
    return rows_by_node


def vectors_of_edges(space: SpaceSession, edge_ids: Sequence[EdgeId]) -> dict[EdgeId, Vector]:
    """Return the vectors of these facts, where they have one."""
    rows = (
        space.run("derived.summaries.vectors_of_edges", {"edges": list(edge_ids)}, prepare=False)
        if edge_ids
        else []
    )
    # pgvector's binary format: length and two unused bytes, then the numbers in half precision.
    return {EdgeId(edge): np.frombuffer(sent, ">f2", offset=4).astype(np.float32) for edge, sent in rows}


def save_batch(
    space: SpaceSession,
    looks: Sequence[Look],
    summary_by_node: dict[NodeId, Summary],
    *,
    without: Sequence[NodeToLookAt],
    vector_set: int,
    now: datetime,
) -> list[Look]:
    """Save the results of one batch: summaries, states, history, counters; return what was saved.

    `without` are nodes without a decision, `vector_set` is the set from which the vectors were read. A node
    that another run has evaluated meanwhile is left unchanged. The caller holds the graph
    (`tenancy.spaces.lock_graph_unchanged`).
    """
    refreshed = [look for look in looks if look.decision.refresh]
    skipped = [look for look in looks if not look.decision.refresh]
    ids = (
        {row[0] for row in _write_summaries(space, refreshed, summary_by_node, vector_set)}
        if refreshed
        else set()
    )
    if skipped:
        ids |= {row[0] for row in _write_states(space, skipped, vector_set)}
    saved = [look for look in looks if look.node.id in ids]
    dropped_ids = [node.id for node in without if node.episodes]
    if dropped_ids:
        space.run("derived.summaries.drop_summaries", {"ids": dropped_ids})
    _delete_notes_read(space, [*(look.node for look in saved), *without])
    if saved:
        _write_episodes(space, saved)
        _store_decisions(space, saved, now)
    return saved


def _delete_notes_read(space: SpaceSession, nodes: Iterable[NodeToLookAt]) -> None:
    """Delete the notes with which these nodes were read; later notes stay."""
    noted_nodes = [node for node in nodes if node.change is not None]
    if noted_nodes:
        changes = {"ids": [node.id for node in noted_nodes], "changes": [node.change for node in noted_nodes]}
        space.run("derived.summaries.drop_notes", changes, prepare=False)


def _state_columns(looks: Sequence[Look]) -> dict[str, list[Any]]:
    states = [look.decision.state for look in looks]
    return {
        "ids": [look.node.id for look in looks],
        "numbers": [look.node.episodes for look in looks],
        "times": [look.episode.delta.at for look in looks],
        # Lists of different lengths are not a Postgres array: each is sent as an array literal.
        "recent": [
            "{" + ",".join(f'"{moment.isoformat()}"' for moment in state.recent) + "}" for state in states
        ],
        "bursts": [state.in_burst for state in states],
        "held": [state.held for state in states],
        "pending": [state.pending for state in states],
        "due": [look.due_at for look in looks],
        "reasons": [look.decision.reason.value for look in looks],
        "seen": [look.seen for look in looks],
    }


def _write_states(space: SpaceSession, looks: Sequence[Look], vector_set: int) -> list[tuple[Any, ...]]:
    other_vectors = [look.decision.state.embedding if _has_other_vector(look) else None for look in looks]
    return space.run(
        "derived.summaries.write_states",
        {
            **_state_columns(looks),
            "embeddings": [_vector_to_text(vector) for vector in other_vectors],
            "of_set": vector_set,
        },
        prepare=False,
    )


def _has_other_vector(look: Look) -> bool:
    """Return whether a skip stored the vector of the same facts by another model."""
    before, after = look.node.state.embedding, look.decision.state.embedding
    return after is not None and (before is None or not np.array_equal(before, after))


def _write_summaries(
    space: SpaceSession, looks: Sequence[Look], summary_by_node: dict[NodeId, Summary], vector_set: int
) -> list[tuple[Any, ...]]:
    summaries = [summary_by_node[look.node.id] for look in looks]
    return space.run(
        "derived.summaries.write_summaries",
        {
            **_state_columns(looks),
            "texts": [summary.text for summary in summaries],
            "citations": [_citations_to_json(summary) for summary in summaries],
            "authors": [summary.written_by for summary in summaries],
            "hashes": [bytes.fromhex(look.episode.facts_hash) for look in looks],
            "embeddings": [_vector_to_text(look.episode.embedding) for look in looks],
            "of_set": vector_set,
        },
        prepare=False,
    )


def _write_episodes(space: SpaceSession, looks: Sequence[Look]) -> None:
    numbers = [look.node.episodes for look in looks]
    states = [look.node.state if keeps_state(look.node.episodes) else None for look in looks]
    space.run(
        "derived.summaries.write_episodes",
        {
            "ids": [look.node.id for look in looks],
            "numbers": numbers,
            "times": [look.episode.delta.at for look in looks],
            "hashes": [bytes.fromhex(look.episode.facts_hash) for look in looks],
            "came": [look.episode.delta.came for look in looks],
            "negates": [look.episode.delta.negates for look in looks],
            "went": [look.episode.delta.went for look in looks],
            **_vector_columns(looks),
            "refreshed": [look.decision.refresh for look in looks],
            "reasons": [look.decision.reason.value for look in looks],
            "states": [None if state is None else json.dumps(state_to_json(state)) for state in states],
            "state_embeddings": [
                None if state is None else _vector_to_text(state.embedding) for state in states
            ],
        },
        prepare=False,
    )
    _trim_episodes(space, [look.node for look in looks if keeps_state(look.node.episodes)])


def _vector_columns(looks: Sequence[Look]) -> dict[str, list[Any]]:
    """Return each episode's vector, or the number of the episode that has the same one."""
    repeated = list(zip(looks, map(_has_vector_of_summary, looks), strict=True))
    return {
        "embeddings": [
            None if again else _vector_to_text(look.episode.embedding) for look, again in repeated
        ],
        "vectors_of": [look.node.vector_of if again else look.node.episodes for look, again in repeated],
    }


def _trim_episodes(space: SpaceSession, nodes: Sequence[NodeToLookAt]) -> None:
    """Delete the episodes before the first one that each node still needs."""
    trimmed = {
        node.id: first_episode_to_keep(node.episodes)
        for node in nodes
        if first_episode_to_keep(node.episodes)
    }
    if trimmed:
        space.run("derived.summaries.trim_episodes", {"ids": list(trimmed), "before": list(trimmed.values())})


def _has_vector_of_summary(look: Look) -> bool:
    """Return whether an episode has the same vector as the summary, so that it is not stored again."""
    episode_vector, state_vector = look.episode.embedding, look.node.state.embedding
    return (
        not look.decision.refresh
        and episode_vector is not None
        and state_vector is not None
        and bool(np.array_equal(episode_vector, state_vector))
    )


def _store_decisions(space: SpaceSession, looks: Sequence[Look], now: datetime) -> None:
    counted = Counter((look.decision.reason.value, look.decision.refresh) for look in looks)
    ((before,),) = space.run(
        "derived.summaries.count_decisions",
        {
            "reasons": [reason for reason, _ in counted],
            "refreshed": [refresh for _, refresh in counted],
            "decisions": list(counted.values()),
            "now": now,
        },
    )
    sample = sample_skips_for_review([look for look in looks if not look.decision.refresh], before)
    if sample:
        space.run(
            "derived.summaries.write_skips",
            {
                "most": SKIPS_KEPT,
                "ids": [new_id() for _ in sample],
                "nodes": [look.node.id for look in sample],
                "numbers": [look.node.episodes for look in sample],
                "times": [look.episode.delta.at for look in sample],
                "reasons": [look.decision.reason.value for look in sample],
                "drifts": [look.drift for look in sample],
                "new_facts": [
                    json.dumps([fact_in_words(fact) for fact in look.new_facts[:NEW_FACTS_SHOWN]])
                    for look in sample
                ],
            },
            prepare=False,
        )


def sample_skips_for_review(skips: Sequence[Look], before: int) -> list[Look]:
    """Return the skips to store for review, after `before` earlier ones of the space; the newest 200 at
    most.
    """
    return [skip for index, skip in enumerate(skips, before) if index % SAMPLE_EVERY == 0][-SKIPS_KEPT:]


def parse_vector(stored: str | None) -> Vector | None:
    """Return a vector from pgvector's text format."""
    return None if stored is None else np.array(json.loads(stored), np.float32)


def _vector_to_text(vector: Vector | None) -> str | None:
    return None if vector is None else str(vector.tolist())


def _citations_to_json(summary: Summary) -> str:
    return json.dumps([asdict(citation) for citation in summary.citations], default=str)

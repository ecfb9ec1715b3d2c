"""Reads of summaries for display: texts, counters, skips, histories."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from app.db.session import SpaceSession
from app.derived.summaries.gate import Reason
from app.derived.summaries.gate_input import STATED_FACTS
from app.derived.summaries.history import KeptEpisode
from app.derived.summaries.repository import parse_vector
from app.derived.summaries.shapes import NodeSummary, ReasonCount, Skip, Summary, build_citation_from_json
from app.ids import NodeId

EPISODES_PER_QUERY = 2_000
"""Number of episodes of a history per query."""


def get_summaries(space: SpaceSession, node_ids: Sequence[NodeId]) -> dict[NodeId, NodeSummary]:
    """Return the summaries of these nodes, where they have one."""
    summaries = [
        _build_summary_from_row(row)
        for row in space.run("derived.summaries.get_summaries", {"nodes": list(node_ids)})
    ]
    return {summary.node_id: summary for summary in summaries}


SummaryCursor = tuple[int, NodeId]
"""Mention count and node of the last summary of a page."""


def list_summaries(
    space: SpaceSession, *, after: SummaryCursor | None = None, limit: int = 50
) -> Sequence[NodeSummary]:
    """Return a page of summaries, of the most mentioned nodes first, after (mention_count, node_id) of the
    last one.
    """
    after_count, after_node_id = after or (None, None)
    parameters = {"after_count": after_count, "after_node": after_node_id, "limit": limit}
    return [
        _build_summary_from_row(row)
        for row in space.run("derived.summaries.list_summaries", parameters, should_prepare=False)
    ]


def list_deferred_summaries(space: SpaceSession, *, limit: int = 20) -> Sequence[NodeSummary]:
    """Return the summaries deferred by a burst, in the order of their next evaluation."""
    return [
        _build_summary_from_row(row)
        for row in space.run(
            "derived.summaries.list_deferred_summaries", {"limit": limit}, should_prepare=False
        )
    ]


class SummaryInputCounts(NamedTuple):
    """The numbers of nodes with facts, and of the facts that their summaries would state."""

    node_count: int
    fact_count: int


class SampleCounts(NamedTuple):
    """The numbers of tokens and of edges of some chunks."""

    token_count: int
    edge_count: int


def count_nodes_and_facts_to_summarise(space: SpaceSession, *, limit: int) -> SummaryInputCounts:
    """Return the numbers of nodes to summarise and of their facts, of at most `limit` nodes."""
    ((nodes, facts),) = space.run(
        "derived.summaries.count_nodes_and_facts_to_summarise",
        {"most": limit, "told": STATED_FACTS},
        should_prepare=False,
    )
    return SummaryInputCounts(int(nodes), int(facts))


def count_tokens_and_edges_of_newest_chunks(space: SpaceSession, *, chunk_count: int) -> SampleCounts:
    """Return the numbers of tokens and edges of the newest `chunk_count` chunks: the density of facts."""
    ((tokens, edges),) = space.run(
        "derived.summaries.count_tokens_and_edges_of_newest_chunks",
        {"chunks": chunk_count},
        should_prepare=False,
    )
    return SampleCounts(int(tokens), int(edges))


def count_decisions_by_reason(space: SpaceSession) -> list[ReasonCount]:
    """Return the number of decisions by reason: refreshes before skips, the most frequent first."""
    return [ReasonCount(*row) for row in space.run("derived.summaries.count_decisions_by_reason")]


def list_skips(space: SpaceSession, *, limit: int) -> list[Skip]:
    """Return the skips stored for review, newest first."""
    rows = space.run("derived.summaries.list_skips", {"limit": limit})
    return [
        Skip(NodeId(node), name, node_type, skipped_at, reason, drift, tuple(new_facts), text)
        for node, name, node_type, skipped_at, reason, drift, new_facts, text in rows
    ]


def iterate_histories(space: SpaceSession, only_node_id: NodeId | None) -> Iterator[KeptEpisode]:
    """Yield the stored histories of all nodes, or of `only_node_id`, node by node in order, page by page."""
    last_node_id, last_number = UUID(int=0), -1
    while True:
        rows = space.run(
            "derived.summaries.read_episodes",
            {
                "after_node": last_node_id,
                "after_number": last_number,
                "node": only_node_id,
                "limit": EPISODES_PER_QUERY,
            },
        )
        for row in rows:
            yield _build_episode_from_row(row)
        if len(rows) < EPISODES_PER_QUERY:
            return
        last_node_id, last_number = rows[-1][:2]


def _build_summary_from_row(row: Sequence[Any]) -> NodeSummary:
    (
        node_id,
        name,
        node_type,
        text,
        citations,
        author,
        summarised_at,
        decided_at,
        reason,
        is_pending,
        due_at,
        refresh_count,
        skip_count,
        mention_count,
    ) = row
    summary = Summary(text, tuple(build_citation_from_json(citation) for citation in citations), author)
    return NodeSummary(
        NodeId(node_id),
        name,
        node_type,
        summary,
        summarised_at,
        decided_at,
        reason,
        is_pending,
        due_at,
        refresh_count,
        skip_count,
        mention_count,
    )


def _build_episode_from_row(row: Sequence[Any]) -> KeptEpisode:
    (
        node_id,
        number,
        noted_at,
        facts_hash,
        has_new_fact,
        has_new_denial,
        has_lost_fact,
        vector,
        vector_of,
        is_refresh,
        reason,
        state,
        state_vector,
    ) = row
    return KeptEpisode(
        NodeId(node_id), number, noted_at, facts_hash.hex(), has_new_fact, has_new_denial, has_lost_fact, parse_vector(vector), vector_of, is_refresh,  # noqa: E501
        Reason(reason), state, parse_vector(state_vector),
    )  # fmt: skip

"""The SQL statements of tags."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from app.db.session import SpaceSession
from app.graph.tags.suggestions import NodeTag, Origin, SpaceFact, TagCount, TagFact
from app.ids import ChunkId, NodeId


def find_tags(space: SpaceSession, prefixes: Sequence[str], *, limit: int) -> list[TagCount]:
    """Return the tags that begin with one of the prefixes, the most used first."""
    rows = space.run("graph.find_tags", {"prefixes": list(prefixes), "limit": limit}, should_prepare=False)
    return [TagCount(*row) for row in rows]


def list_tags_of_node(space: SpaceSession, node_id: NodeId) -> list[str]:
    """Return the node's tags, most relevant first."""
    return [tag for (tag,) in space.run("graph.list_tags_of_node", {"node": node_id})]


def replace_tags(space: SpaceSession, node_id: NodeId, tags: Sequence[str]) -> None:
    """Replace the node's tags with these, as set by a person."""
    space.run("graph.drop_tags", {"node": node_id})
    space.run("graph.write_tags", {"node": node_id, "tags": list(tags)})


def record_tagging_by_person(space: SpaceSession, node_id: NodeId, *, actor: str) -> None:
    """Record who sets the node's tags now, and which tags a person had set before."""
    space.run("graph.record_tagging_by_person", {"node": node_id, "actor": actor})


def list_mentioned_nodes_with_claims(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[NodeId]:
    """Return the nodes that these chunks mention and that have claims."""
    return [NodeId(row[0]) for row in space.run("graph.list_nodes_to_tag", {"chunks": list(chunk_ids)})]


def lock_existing_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> list[NodeId]:
    """Lock those of these nodes that exist until the transaction ends; return their ids."""
    return [NodeId(row[0]) for row in space.run("graph.lock_nodes_to_tag", {"nodes": list(node_ids)})]


def get_tags_of_nodes(space: SpaceSession, node_ids: Sequence[NodeId]) -> dict[NodeId, list[NodeTag]]:
    """Return the tags of each node, most relevant first."""
    tags_by_node: dict[NodeId, list[NodeTag]] = defaultdict(list)
    for node_id, tag, origin in space.run("graph.get_tags_of_nodes", {"nodes": list(node_ids)}):
        tags_by_node[node_id].append(NodeTag(tag, Origin(origin)))
    return tags_by_node


def list_strongest_facts_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId], *, max_per_direction: int
) -> dict[NodeId, list[TagFact]]:
    """Return the strongest claims of each node, at most `max_per_direction` in each direction."""
    facts_by_node: dict[NodeId, list[TagFact]] = defaultdict(list)
    for node_id, *fact in space.run(
        "graph.list_strongest_facts_of_nodes",
        {"nodes": list(node_ids), "per_node": max_per_direction},
        should_prepare=False,
    ):
        facts_by_node[node_id].append(TagFact(*fact))
    return facts_by_node


def list_newest_facts_of_space(space: SpaceSession, *, limit: int) -> list[SpaceFact]:
    """Return the newest facts of the space, at most `limit`, newest first."""
    return [
        SpaceFact(*row)
        for row in space.run("graph.list_newest_facts_of_space", {"limit": limit}, should_prepare=False)
    ]


def delete_suggested_tags(space: SpaceSession, node_ids: Sequence[NodeId], *, overwrite: bool) -> None:
    """Delete the suggested tags of these nodes, or with `overwrite` all tags."""
    space.run("graph.drop_suggested_tags", {"nodes": list(node_ids), "overwrite": overwrite})


class SuggestedTagRow(NamedTuple):
    """A suggested tag of a node, at its position among the node's tags."""

    node_id: NodeId
    tag: str
    position: int
    suggested_by: str


def insert_suggested_tags(space: SpaceSession, rows: Sequence[SuggestedTagRow]) -> None:
    """Insert these suggested tags."""
    space.run(
        "graph.write_suggested_tags",
        {
            "nodes": [row.node_id for row in rows],
            "tags": [row.tag for row in rows],
            "places": [row.position for row in rows],
            "origins": [row.suggested_by for row in rows],
        },
    )

"""Reads and writes of tags."""

from collections.abc import Sequence

from app.db.session import SpaceSession
from app.ids import NodeId


def find_tags(space: SpaceSession, prefixes: Sequence[str], *, limit: int) -> list[tuple[str, int]]:
    """(tag, nodes) for tags that begin with one of the prefixes, the most used first."""
    rows = space.run("graph.find_tags", {"prefixes": list(prefixes), "limit": limit}, prepare=False)
    return [(tag, nodes) for tag, nodes in rows]


def tags_of(space: SpaceSession, node_id: NodeId) -> list[str]:
    """The node's tags, the most relevant first."""
    return [tag for (tag,) in space.run("graph.tags_of", {"node": node_id})]


def set_tags(space: SpaceSession, node_id: NodeId, tags: Sequence[str]) -> None:
    """Give the node exactly these tags."""
    space.run("graph.drop_tags", {"node": node_id})
    space.run("graph.write_tags", {"node": node_id, "tags": list(tags)})

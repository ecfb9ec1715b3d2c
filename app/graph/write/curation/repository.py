"""The SQL statements behind decisions about nodes; the rules are in `service`."""

import json
from collections import Counter
from dataclasses import dataclass

from app.db.session import SpaceSession
from app.domain.file_locations import format_place_of_range
from app.graph.resolution.shapes import NameAndType
from app.graph.resolution.votes import Vote
from app.graph.write.curation.shapes import ChunkMention, NodeChange, PairKeptApart, ValueDecision
from app.ids import ChunkId, NodeId


@dataclass(frozen=True, slots=True)
class MergeCounts:
    """The counts of a merge that is only previewed, and the votes of mentions that would result."""

    mentions: int
    shared_chunks: int
    edges_leaving: int
    edges_entering: int
    edges_between: int
    shared_claims: int
    votes: Counter[Vote]


def count_merge_changes(space: SpaceSession, winner_id: NodeId, loser_id: NodeId) -> MergeCounts:
    """Count what a merge would move."""
    (row,) = space.run("graph.write.merge_preview", {"winner": winner_id, "loser": loser_id})
    votes = Counter({Vote(name, node_type, None, trust): count for name, node_type, trust, count in row[6]})
    return MergeCounts(row[0], row[1], row[2], row[3], row[4], row[5], votes)


def list_mentions(
    space: SpaceSession, node_id: NodeId, *, after: ChunkId | None, margin: int, limit: int
) -> list[ChunkMention]:
    """Return a page of the chunks that mention the node, following chunk `after`."""
    parameters = {"node": node_id, "after": after, "around": margin, "limit": limit}
    return [
        ChunkMention._make((*row[:8], format_place_of_range(row[9], row[6] - row[8], row[7] - row[8])))
        for row in space.run("graph.write.list_mentions", parameters)
    ]


def list_merges_and_splits_of_node(
    space: SpaceSession, node_id: NodeId, *, limit: int = 20
) -> list[NodeChange]:
    """Return the latest merges into the node and splits that involve it, newest first."""
    return [
        NodeChange(*row)
        for row in space.run("graph.write.list_merges_and_splits_of_node", {"node": node_id, "limit": limit})
    ]


def list_pairs_kept_apart(space: SpaceSession, *, limit: int = 50) -> list[PairKeptApart]:
    """Return the pairs that persons kept apart, newest first."""
    rows = space.run("graph.write.list_pairs_kept_apart", {"limit": limit})
    return [PairKeptApart(NameAndType(*row[:2]), NameAndType(*row[2:4]), row[4], row[5]) for row in rows]


def delete_not_same_verdict_if_exists(
    space: SpaceSession, name: NameAndType, other_name: NameAndType
) -> bool:
    """Delete a person's verdict "not the same" about this pair; return False if there is none."""
    return bool(
        space.run(
            "graph.write.delete_not_same_verdict_if_exists",
            {
                "name_a": name.name,
                "type_a": name.node_type,
                "name_b": other_name.name,
                "type_b": other_name.node_type,
            },
        )
    )


def end_values_of_attribute(
    space: SpaceSession,
    node_id: NodeId,
    name: str,
    value: object,
    decision: ValueDecision,
    *,
    ends_others: bool,
) -> None:
    """End the current rows of a value, or with `ends_others` those of all other values."""
    parameters = {"node": node_id, "name": name, "value": json.dumps(value), "this": not ends_others}
    space.run("graph.write.end_values_of_attribute", {**parameters, **decision._asdict()})


def restore_values_and_count(space: SpaceSession, node_id: NodeId, name: str, value: object) -> int:
    """Restore the ended rows of a value; return how many."""
    return len(
        space.run(
            "graph.write.restore_values_and_count",
            {"node": node_id, "name": name, "value": json.dumps(value)},
        )
    )

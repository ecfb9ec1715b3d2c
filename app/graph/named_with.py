"""The nodes that are named together with one, the closest first."""

import numpy as np

from app.db import arrays
from app.db.session import SpaceSession
from app.graph import mention_repository as mentions
from app.graph import named_together, repository
from app.graph.named_pairs import named_pairs, numbered_ids, tie_weights
from app.graph.shapes import NamedWith, Node
from app.ids import NodeId

MOST_SHOWN = 10


def named_with(space: SpaceSession, node: Node) -> list[NamedWith]:
    """The ten closest of them, each with a passage that names both. Five statements at most."""
    own = arrays.ids([node.id.bytes])
    chunks, named, starts = mentions.around(space, own)
    ids, numbers = numbered_ids(named)
    if not len(ids):
        return []
    pairs = named_pairs(len(ids), numbered_ids(chunks)[1], numbers, starts)
    (place,) = np.flatnonzero((ids == own).all(axis=1))
    pairs = pairs.only((pairs.first == place) | (pairs.second == place))
    if not len(pairs):
        return []
    weights = tie_weights(pairs, *mentions.counts(space, ids))
    other = np.where(pairs.first == place, pairs.second, pairs.first)
    closest = np.lexsort((other, -pairs.count, -weights))[:MOST_SHOWN]
    closest = closest[weights[closest] > 0]
    shown = [NodeId(node_id) for node_id in arrays.as_uuids(ids[other[closest]])]
    nodes = {found.id: found for found in repository.get_nodes(space, shown)}
    standing = [
        (at, nodes[node_id]) for at, node_id in zip(closest.tolist(), shown, strict=True) if node_id in nodes
    ]
    passages = named_together.passages_of(space, [(node, found) for _, found in standing]) if standing else []
    return [
        NamedWith(
            found.id,
            found.canonical_name,
            found.node_type,
            int(pairs.count[at]),
            float(weights[at]),
            bool(quotes) and quotes[0].in_sentence,
            quotes[0].evidence if quotes else None,
        )
        for (at, found), quotes in zip(standing, passages, strict=True)
    ]

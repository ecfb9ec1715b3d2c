"""Storing what chunks state of a node alone: attributes, after which the node's metadata are worked out anew,
and statements. One row a chunk, a node, a name and a place.
"""

import json
from collections.abc import Sequence

from app.db.session import SpaceSession
from app.extraction.attributes import Described
from app.graph.names import normalise_name
from app.graph.write import repository


def write_attributes(space: SpaceSession, described: Sequence[Described]) -> int:
    """Store what chunks say of nodes, each once however often it is written; how many values are new.

    Then the nodes' metadata say of each attribute what the latest dated chunk does, else what most do.
    """
    rows = {
        (chunk_id, node_id, each.name, each.quote.start): (
            chunk_id, node_id, each.name, json.dumps(each.value), normalise_name(entity.name),
            each.quote.text, each.quote.start, each.quote.end, each.stated_at, each.confidence,
            each.subject or None,
        )
        for chunk_id, node_id, entity in reversed(described)
        for each in entity.attributes
    }  # fmt: skip
    if not rows:
        return 0
    added = repository.insert_attributes(space, [rows[key] for key in sorted(rows)])
    voted = {node_id for _, node_id, entity in described if any(each.is_asked for each in entity.attributes)}
    if voted:
        repository.apply_attribute_votes(space, voted)
    return added

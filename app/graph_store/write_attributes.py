"""Storing the attributes that chunks state: one row a chunk, a node and a name, and the node's metadata after
it.
"""

import json
from collections.abc import Sequence

from app.db.session import SpaceSession
from app.extraction.attributes import Described
from app.graph.names import normalise_name
from app.graph_store import repository


def write_attributes(space: SpaceSession, described: Sequence[Described]) -> int:
    """Store what chunks say of nodes, each once however often it is written; how many values are new.

    Then the nodes' metadata say what the latest dated chunk does, without dates what most do.
    """
    rows = {
        (chunk_id, node_id, each.name): (
            chunk_id, node_id, each.name, json.dumps(each.value), normalise_name(entity.name),
            each.quote.text, each.quote.start, each.quote.end, each.stated_at,
        )
        for chunk_id, node_id, entity in reversed(described)
        for each in entity.attributes
    }  # fmt: skip
    if not rows:
        return 0
    added = repository.insert_attributes(space, [rows[key] for key in sorted(rows)])
    repository.apply_attribute_votes(space, [key[1] for key in rows])
    return added

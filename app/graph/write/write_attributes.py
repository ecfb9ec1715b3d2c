"""Store the attributes and statements that chunks make about single nodes.

A row is keyed by chunk, node, attribute name and position. After new attributes the metadata of the nodes are
recomputed.
"""

import json
from collections.abc import Sequence

from app.db.session import SpaceSession
from app.extraction.attributes import DescribedEntity
from app.graph.names import normalise_name
from app.graph.write import repository


def write_attributes_and_count_new(space: SpaceSession, described_entities: Sequence[DescribedEntity]) -> int:
    """Store attributes of nodes and return how many are new; writing one again adds nothing.

    Then set each attribute in the nodes' metadata to the value of the latest dated chunk, else to the most
    frequent value.
    """
    rows = {
        (chunk_id, node_id, attribute.name, attribute.quote.start): (
            chunk_id, node_id, attribute.name, json.dumps(attribute.value), normalise_name(entity.name),
            attribute.quote.text, attribute.quote.start, attribute.quote.end,
            attribute.stated_at, attribute.confidence,
            attribute.subject or None,
        )
        for chunk_id, node_id, entity in reversed(described_entities)
        for attribute in entity.attributes
    }  # fmt: skip
    if not rows:
        return 0
    added_count = repository.insert_attributes_and_count_new(space, [rows[key] for key in sorted(rows)])
    nodes_with_votes = {
        node_id
        for _, node_id, entity in described_entities
        if any(attribute.is_asked for attribute in entity.attributes)
    }
    if nodes_with_votes:
        repository.set_attributes_in_metadata_by_votes(space, nodes_with_votes)
    return added_count

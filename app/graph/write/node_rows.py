"""Rows of `repository.update_nodes`."""

import json
from typing import Any

from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import KnownNode


def build_node_update_row(node: KnownNode, added_mention_count: int, confidence: float) -> tuple[Any, ...]:
    """Return a row for `repository.update_nodes` that adds these mentions to the node."""
    name = node.canonical_name
    return (
        node.id, added_mention_count, name, normalise_name(name), node.node_type, json.dumps(node.metadata),
        confidence,
    )  # fmt: skip

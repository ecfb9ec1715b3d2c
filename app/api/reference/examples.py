"""A body for each operation that takes one, as the reference shows it. The tests send every one of them."""

from typing import Any

NODE_ID = "01940000-0000-7000-8000-000000000001"
CHUNK_ID = "01940000-0000-7000-8000-000000000002"
"""Ids of the examples; whoever tries one puts ids of a space of their own."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_tenant": {"name": "acme"},
    "change_tenant": {"quotas": {"documents": 50_000}},
    "create_key": {"name": "search service", "scopes": ["read"]},
    "create_space": {"name": "papers", "description": "What the team has read."},
    "update_space": {"description": "What the team has read since 2024."},
    "change_embedding": {"model": "text-embedding-3-small", "dimensions": 1_536},
    "submit_documents": {
        "documents": [
            {
                "text": "Michael Stonebraker created Ingres. PostgreSQL is based on Ingres.",
                "title": "Of databases",
                "source_uri": "notes/databases.md",
                "metadata": {"team": "storage"},
            }
        ]
    },
    "retrieve": {"query": "Who created Ingres?", "top_k": 5},
    "ask": {"question": "Who created Ingres?"},
    "explain": {"from": "Michael Stonebraker", "to": "Ingres"},
    "read_neighbors": {"node_ids": [NODE_ID], "direction": "outgoing"},
    "invalidate_edge": {"reason": "The contract ended.", "at": "2024-06-30T00:00:00Z"},
    "set_tags": {"tags": ["database pioneer"]},
    "suggest_tags": {"by": "rules"},
    "split_node": {"sense": "sculptor", "chunk_ids": [CHUNK_ID]},
    "evict": {"including_last_evidence": False},
}

"""An example body for each operation that takes one, as the reference shows it. The tests send every
example.
"""

from typing import Any

NODE_ID = "01940000-0000-7000-8000-000000000001"
OTHER_NODE_ID = "01940000-0000-7000-8000-000000000002"
CHUNK_ID = "01940000-0000-7000-8000-000000000003"
DOCUMENT_ID = "01940000-0000-7000-8000-000000000004"
"""Ids in the examples; to try one, replace them by ids of your own space."""

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_tenant": {"name": "example-company"},
    "change_tenant": {"quotas": {"documents": 50_000}},
    "create_key": {"name": "search service", "scopes": ["read"]},
    "add_webhook": {
        "url": "https://hooks.example.com/citegraph",
        "events": ["job.done", "job.failed", "conflict.found"],
    },
    "change_webhook": {"enabled": True},
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
    "change_document": {"trust": 0.5},
    "add_golden_questions": {
        "questions": [{"question": "Who created Ingres?", "answers": ["Michael Stonebraker"], "sources": []}]
    },
    "begin_golden_run": {"settings": {"max_facts": 10}},
    "begin_trial": {"model": "rules", "settings": {"min_confidence": 0.7}, "chunks": 50},
    "estimate_documents": {"documents": [{"text": "Ingres was created at Berkeley."}]},
    "preview_document": {
        "text": "Michael Stonebraker created Ingres and Postgres.",
        "source_uri": "notes/databases.md",
    },
    "move_documents": {"documents": [{"id": DOCUMENT_ID, "source_uri": "notes/old/databases.md"}]},
    "preview_removals": {"document_ids": [DOCUMENT_ID], "prune": True},
    "retrieve": {"query": "Who created Ingres?", "top_k": 5},
    "ask": {"question": "Who created Ingres?"},
    "explain": {"from": "Michael Stonebraker", "to": "Ingres"},
    "read_neighbors": {"node_ids": [NODE_ID], "direction": "outgoing"},
    "invalidate_edge": {"reason": "The contract ended.", "at": "2024-06-30T00:00:00Z"},
    "uphold_edge": {"reason": "The register says so."},
    "end_value": {"name": "population", "value": 709037, "reason": "The register says otherwise."},
    "uphold_value": {"name": "population", "value": 709037, "reason": "The register says so."},
    "restore_value": {"name": "population", "value": 709037},
    "set_tags": {"tags": ["database pioneer"]},
    "suggest_tags": {"by": "rules"},
    "preview_merge": {"winner_id": NODE_ID, "loser_id": OTHER_NODE_ID},
    "keep_apart": {"node_ids": [NODE_ID, OTHER_NODE_ID]},
    "reconsider": {
        "a": {"name": "michael stonebraker", "node_type": "Person"},
        "b": {"name": "duckdb", "node_type": "Technology"},
    },
    "rename_node": {"name": "Mike Stonebraker"},
    "merge_nodes": {"winner_id": NODE_ID, "loser_id": OTHER_NODE_ID},
    "split_node": {"sense": "sculptor", "chunk_ids": [CHUNK_ID]},
    "evict": {"including_last_evidence": False},
}

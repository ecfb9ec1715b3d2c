-- list_endings_caused_by_edges: the ledger rows in force by which these edges ended others.
SELECT id FROM edge_invalidation
WHERE knowledge_space_id = %(space_id)s AND source_edge_id = ANY(%(edges)s::uuid[]) AND undone_at IS NULL

-- list_active_endings: the ledger rows of one kind that are in force and by which these edges are ended.
SELECT id FROM edge_invalidation
WHERE knowledge_space_id = %(space_id)s AND edge_id = ANY(%(edges)s::uuid[]) AND kind = %(kind)s AND undone_at IS NULL

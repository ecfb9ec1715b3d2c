-- active_endings: the rows of the ledger of one kind that still hold and by which these edges are ended.
SELECT id FROM edge_invalidation
WHERE knowledge_space_id = %(space_id)s AND edge_id = ANY(%(edges)s::uuid[]) AND kind = %(kind)s AND undone_at IS NULL

-- said_later_in_chunks: the sentences of these chunks that only state or deny what began after a moment.
-- All rows count, also those that ended (invalidated_at): one that says anything of before is not among them.
SELECT edge.evidence_chunk_id, edge.metadata ->> 'quote'
FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = ANY(%(chunks)s::uuid[])
  AND edge.deleted_at IS NULL AND edge.metadata ->> 'quote' <> ''
GROUP BY edge.evidence_chunk_id, edge.metadata ->> 'quote'
HAVING bool_and(coalesce(edge.valid_from > %(as_of)s::timestamptz, false))
LIMIT %(limit)s

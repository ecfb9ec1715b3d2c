-- said_later_in_chunks: the sentences of these chunks that only state what began, or values of a date, after a moment.
-- All rows count, also those that ended (invalidated_at): one that says anything of before is not among them.
SELECT said.chunk_id, said.quote
FROM (
    SELECT edge.evidence_chunk_id AS chunk_id, edge.metadata ->> 'quote' AS quote, edge.valid_from AS since
    FROM graph_edge AS edge
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = ANY(%(chunks)s::uuid[])
      AND edge.deleted_at IS NULL AND edge.metadata ->> 'quote' <> ''
    UNION ALL
    SELECT value.chunk_id, value.quote, value.stated_at
    FROM node_attribute AS value
    WHERE value.knowledge_space_id = %(space_id)s AND value.chunk_id = ANY(%(chunks)s::uuid[])
) AS said
GROUP BY said.chunk_id, said.quote
HAVING bool_and(coalesce(said.since > %(as_of)s::timestamptz, false))
LIMIT %(limit)s

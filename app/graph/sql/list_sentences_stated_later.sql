-- list_sentences_stated_later: what these chunks state only after a moment: sentences, by their claims and values, or a whole chunk.
-- All rows count, including ended ones (invalidated_at); a sentence with an earlier claim is left out. A whole chunk is returned if
-- its date is later and it states nothing earlier; its date is that of its turn, else of its document.
WITH said AS MATERIALIZED (
    SELECT edge.evidence_chunk_id AS chunk_id, edge.metadata ->> 'quote' AS quote, edge.valid_from AS since
    FROM graph_edge AS edge
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = ANY(%(chunks)s::uuid[])
      AND edge.deleted_at IS NULL AND edge.metadata ->> 'quote' <> ''
    UNION ALL
    SELECT value.chunk_id, value.quote, value.stated_at
    FROM node_attribute AS value
    WHERE value.knowledge_space_id = %(space_id)s AND value.chunk_id = ANY(%(chunks)s::uuid[]) AND value.confidence IS NULL
)
(SELECT said.chunk_id, said.quote FROM said
GROUP BY said.chunk_id, said.quote
HAVING bool_and(coalesce(said.since > %(as_of)s::timestamptz, false))
LIMIT %(limit)s)
UNION ALL
SELECT chunk.id, chunk.text
FROM knowledge_chunk AS chunk
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[])
  AND coalesce(chunk.said_at, CASE WHEN document.metadata ->> 'date' ~ '^\d{4}-\d\d-\d\d'
      AND pg_input_is_valid(document.metadata ->> 'date', 'timestamptz')
      THEN (document.metadata ->> 'date')::timestamptz END) > %(as_of)s::timestamptz
  AND NOT EXISTS (SELECT FROM said WHERE said.chunk_id = chunk.id AND coalesce(said.since <= %(as_of)s::timestamptz, true))

-- list_claims_of_chunks: the claims that these chunks, or others with the same text, state.
-- Each with whether a row denies it or states its end.
SELECT edge.from_node_id, edge.relation_type, edge.to_node_id, bool_or(edge.polarity = 'denied' OR edge.valid_to IS NOT NULL)
FROM (
    SELECT DISTINCT twin.id FROM knowledge_chunk AS own
    JOIN knowledge_chunk AS twin
        ON twin.knowledge_space_id = %(space_id)s AND twin.content_hash = own.content_hash
    WHERE own.knowledge_space_id = %(space_id)s AND own.id = ANY(%(chunks)s::uuid[])
) AS passage
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = passage.id
WHERE edge.knowledge_space_id = %(space_id)s AND edge.deleted_at IS NULL AND edge.polarity <> 'reported'
GROUP BY 1, 2, 3

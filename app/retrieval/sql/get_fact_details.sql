-- get_fact_details: the parts of a fact's score besides its confidence: use, age and source.
-- The LIMIT in each LATERAL makes it an index probe, whatever the planner estimates for the space's size.
SELECT e.id, coalesce(r.recall_count, 0), coalesce(r.last_recalled_at, e.created_at), d.source_kind, coalesce(d.trust, 1), c.document_id
FROM (SELECT DISTINCT unnest(%(edges)s::uuid[]) AS id) AS asked
CROSS JOIN LATERAL (
    SELECT id, created_at, evidence_chunk_id FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND id = asked.id LIMIT 1
) AS e
LEFT JOIN LATERAL (
    SELECT recall_count, last_recalled_at FROM edge_recall
    WHERE knowledge_space_id = %(space_id)s AND edge_id = e.id LIMIT 1
) AS r ON true
LEFT JOIN LATERAL (
    SELECT document_id FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s AND id = e.evidence_chunk_id LIMIT 1
) AS c ON true
LEFT JOIN LATERAL (
    SELECT source_kind, trust FROM document
    WHERE knowledge_space_id = %(space_id)s AND id = c.document_id LIMIT 1
) AS d ON true

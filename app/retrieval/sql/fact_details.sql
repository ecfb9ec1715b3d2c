-- fact_details: what the score of a fact rests on besides its confidence: use, age and where it was read.
SELECT e.id, coalesce(r.recall_count, 0), coalesce(r.last_recalled_at, e.created_at), d.source_kind
FROM graph_edge e
LEFT JOIN edge_recall r ON r.knowledge_space_id = %(space_id)s AND r.edge_id = e.id
LEFT JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = e.evidence_chunk_id
LEFT JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
WHERE e.knowledge_space_id = %(space_id)s AND e.id = ANY(%(edges)s::uuid[])

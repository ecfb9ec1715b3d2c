-- standing_claims: what the graph has of the chunks of a trial, on any chunk of the same text, ended or not.
SELECT reading.chunk_id, edge.from_node_id, source.canonical_name, edge.relation_type, edge.to_node_id,
    target.canonical_name, edge.polarity, edge.confidence, coalesce(edge.metadata ->> 'quote', '')
FROM trial_reading AS reading
JOIN knowledge_chunk AS own ON own.knowledge_space_id = %(space_id)s AND own.id = reading.chunk_id
JOIN knowledge_chunk AS twin
    ON twin.knowledge_space_id = %(space_id)s AND twin.content_hash = own.content_hash
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = twin.id
JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = edge.from_node_id
JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = edge.to_node_id
WHERE reading.knowledge_space_id = %(space_id)s AND reading.job_id = %(job)s AND edge.deleted_at IS NULL
ORDER BY edge.id

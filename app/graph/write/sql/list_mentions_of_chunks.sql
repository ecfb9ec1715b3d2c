-- list_mentions_of_chunks: the mentions in these chunks with their votes, by node.
-- The OFFSET makes it read chunk by chunk: otherwise the planner may read all mentions of the space.
SELECT g.id, g.canonical_name, g.node_type, g.mention_count, g.metadata, m.name, m.node_type, m.sense, d.trust
FROM unnest(%(chunks)s::uuid[]) AS wanted(chunk_id)
CROSS JOIN LATERAL (
    SELECT k.node_id, k.name, k.node_type, k.sense FROM node_mention k
    WHERE k.knowledge_space_id = %(space_id)s AND k.chunk_id = wanted.chunk_id OFFSET 0
) AS m
JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = wanted.chunk_id
JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
JOIN graph_node g ON g.knowledge_space_id = %(space_id)s AND g.id = m.node_id
ORDER BY g.id

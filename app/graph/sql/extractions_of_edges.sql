-- extractions_of_edges: who read each of these edges out of its text, when, and the date of its source.
SELECT
    edge.id, edge.metadata ->> 'model', (edge.metadata ->> 'extractedAt')::timestamptz,
    (edge.metadata ->> 'statedAt')::timestamptz
FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(ids)s::uuid[]) AND edge.deleted_at IS NULL

-- get_extractors_of_edges: the extractor of each of these edges, when, the date of its source, and for a report who makes the claim.
SELECT
    edge.id, edge.metadata ->> 'model', (edge.metadata ->> 'extractedAt')::timestamptz,
    (edge.metadata ->> 'statedAt')::timestamptz, edge.metadata ->> 'saidBy'
FROM graph_edge AS edge
WHERE edge.knowledge_space_id = %(space_id)s AND edge.id = ANY(%(ids)s::uuid[]) AND edge.deleted_at IS NULL

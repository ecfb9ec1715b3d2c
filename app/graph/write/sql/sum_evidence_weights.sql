-- sum_evidence_weights: the weight of these edges, and that of the edges with evidence between the same nodes.
WITH lost AS (
    SELECT id, from_node_id, to_node_id, weight FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges)s::uuid[])
), pairs AS (SELECT DISTINCT from_node_id, to_node_id FROM lost)
SELECT (SELECT coalesce(sum(weight), 0) FROM lost)::float, coalesce(sum(standing.weight), 0)::float
FROM pairs CROSS JOIN LATERAL (
    SELECT edge.weight FROM graph_edge AS edge
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = pairs.from_node_id
      AND edge.to_node_id = pairs.to_node_id AND edge.evidence_chunk_id IS NOT NULL
) AS standing

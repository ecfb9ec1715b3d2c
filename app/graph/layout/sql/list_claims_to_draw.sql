-- list_claims_to_draw: all claims between these nodes, including ended, later and denied ones but no reports, by the days between which they hold.
-- Only a node's strongest `scan` outgoing edges are read, so that a hub costs no more. Days count from 1970 and begin
-- after the moment: a day shows what held when it began.
SELECT
    edge.from_node_id, edge.to_node_id, edge.relation_type, sum(edge.weight)::real, max(edge.confidence), count(*),
    edge.since, edge.until, bool_or(edge.evidence_chunk_id IS NOT NULL), edge.denied, edge.holds_now
FROM unnest(%(ids)s::uuid[]) AS drawn (id)
CROSS JOIN LATERAL (
    SELECT from_node_id, to_node_id, relation_type, weight, confidence, evidence_chunk_id,
        ceil(date_part('epoch', valid_from) / 86400)::int AS since, polarity = 'denied' AS denied,
        CASE WHEN polarity = 'asserted' THEN ceil(date_part('epoch', coalesce(ends_at, invalidated_at)) / 86400)::int END AS until,
        edge_holds(deleted_at, invalidated_at) AS holds_now
    FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = drawn.id AND deleted_at IS NULL
      AND to_node_id <> from_node_id AND polarity <> 'reported'
    ORDER BY weight DESC LIMIT %(scan)s
) AS edge
WHERE edge.to_node_id = ANY(%(ids)s::uuid[])
GROUP BY edge.from_node_id, edge.to_node_id, edge.relation_type, edge.since, edge.until, edge.denied, edge.holds_now
ORDER BY 4 DESC, 1, 2, 3, 7, 8, 11
LIMIT %(limit)s

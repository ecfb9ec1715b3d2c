-- earliest_claim_day: the first day, counted from 1970, on which a claim about the most mentioned nodes is stated to hold.
SELECT floor(date_part('epoch', min(edge.valid_from)) / 86400)::int FROM (
    SELECT id FROM graph_node WHERE knowledge_space_id = %(space_id)s
    ORDER BY mention_count DESC, id LIMIT %(nodes)s
) AS known
CROSS JOIN LATERAL (
    SELECT valid_from FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = known.id AND deleted_at IS NULL
      AND polarity = 'asserted'
    ORDER BY weight DESC LIMIT %(scan)s
) AS edge

-- get_days_of_claims: the first and the last day between which claims about the most mentioned nodes begin or end.
-- Days count from 1970; the last day of 9999 stands for an unknown end.
SELECT floor(date_part('epoch', min(edge.valid_from)) / 86400)::int,
    ceil(date_part('epoch', max(greatest(edge.valid_from, nullif(edge.ends_at, '9999-12-31 00:00:00+00'::timestamptz)))) / 86400)::int
FROM (
    SELECT id FROM graph_node WHERE knowledge_space_id = %(space_id)s
    ORDER BY mention_count DESC, id LIMIT %(nodes)s
) AS known
CROSS JOIN LATERAL (
    SELECT valid_from, ends_at FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = known.id AND deleted_at IS NULL
      AND polarity = 'asserted'
    ORDER BY weight DESC LIMIT %(scan)s
) AS edge

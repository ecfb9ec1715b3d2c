-- recount_mentions_and_edges: count the mentions and edges of all nodes again, whatever the file contains.
UPDATE graph_node SET mention_count = counted.mentions, out_degree = counted.leaving, in_degree = counted.entering
FROM (
    SELECT node_id, sum(mentions) AS mentions, sum(leaving) AS leaving, sum(entering) AS entering FROM (
        SELECT node_id, count(*) AS mentions, 0 AS leaving, 0 AS entering FROM node_mention
        WHERE knowledge_space_id = %(space_id)s GROUP BY node_id
        UNION ALL
        SELECT from_node_id, 0, count(*), 0 FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s GROUP BY from_node_id
        UNION ALL
        SELECT to_node_id, 0, 0, count(*) FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s GROUP BY to_node_id
    ) AS parts GROUP BY node_id
) AS counted
WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = counted.node_id

-- delete_edges_and_list_end_nodes: delete edges and subtract them from the degrees of their ends; return each end once.
WITH gone AS (
    DELETE FROM graph_edge WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges)s::uuid[])
    RETURNING from_node_id, to_node_id
), degree AS (
    SELECT node_id, sum(leaving) AS leaving, sum(entering) AS entering FROM (
        SELECT from_node_id AS node_id, 1 AS leaving, 0 AS entering FROM gone
        UNION ALL SELECT to_node_id, 0, 1 FROM gone
    ) AS ends GROUP BY node_id
)
UPDATE graph_node SET out_degree = out_degree - degree.leaving, in_degree = in_degree - degree.entering
FROM degree WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = degree.node_id
RETURNING graph_node.id

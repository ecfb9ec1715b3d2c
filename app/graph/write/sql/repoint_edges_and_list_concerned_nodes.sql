-- repoint_edges_and_list_concerned_nodes: set the ends of restored edges to the nodes that their text names now; return the former ends.
WITH given AS (
    SELECT * FROM unnest(%(edges)s::uuid[], %(from_nodes)s::uuid[], %(to_nodes)s::uuid[]) AS t(id, from_node, to_node)
), before AS MATERIALIZED (
    SELECT edge.id, edge.from_node_id, edge.to_node_id FROM graph_edge edge JOIN given ON given.id = edge.id
    WHERE edge.knowledge_space_id = %(space_id)s
), moved AS (
    UPDATE graph_edge SET from_node_id = given.from_node, to_node_id = given.to_node FROM given
    WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = given.id
), degree AS (
    SELECT node_id, sum(leaving) AS leaving, sum(entering) AS entering FROM (
        SELECT from_node_id AS node_id, -1 AS leaving, 0 AS entering FROM before
        UNION ALL SELECT to_node_id, 0, -1 FROM before
        UNION ALL SELECT from_node, 1, 0 FROM given
        UNION ALL SELECT to_node, 0, 1 FROM given
    ) AS ends GROUP BY node_id
)
UPDATE graph_node SET out_degree = out_degree + degree.leaving, in_degree = in_degree + degree.entering
FROM degree WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = degree.node_id
RETURNING graph_node.id

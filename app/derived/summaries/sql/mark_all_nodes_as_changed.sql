-- mark_all_nodes_as_changed: have the gate look at the next so many of the nodes that are worth a summary or have one; the last of them.
INSERT INTO changed_node AS standing (knowledge_space_id, node_id, change)
SELECT part.knowledge_space_id, part.id, %(mark)s::uuid
FROM (
    SELECT node.knowledge_space_id, node.id FROM graph_node AS node
    WHERE node.knowledge_space_id = %(space_id)s AND node.id > %(after)s AND (
        node.out_degree + node.in_degree >= %(least)s OR EXISTS (
            SELECT 1 FROM node_summary AS summary
            WHERE summary.knowledge_space_id = %(space_id)s AND summary.node_id = node.id
        )
    )
    ORDER BY node.id LIMIT %(limit)s
) AS part
ORDER BY part.id
ON CONFLICT (knowledge_space_id, node_id) DO NOTHING;
SELECT part.id
FROM (
    SELECT node.knowledge_space_id, node.id FROM graph_node AS node
    WHERE node.knowledge_space_id = %(space_id)s AND node.id > %(after)s AND (
        node.out_degree + node.in_degree >= %(least)s OR EXISTS (
            SELECT 1 FROM node_summary AS summary
            WHERE summary.knowledge_space_id = %(space_id)s AND summary.node_id = node.id
        )
    )
    ORDER BY node.id LIMIT %(limit)s
) AS part
ORDER BY part.id DESC LIMIT 1

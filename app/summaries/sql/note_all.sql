-- note_all: have the gate look at every node that is worth a summary or has one.
INSERT INTO changed_node AS standing (knowledge_space_id, node_id, change)
SELECT %(space_id)s, node.id, gen_random_uuid()
FROM graph_node AS node
WHERE node.knowledge_space_id = %(space_id)s AND node.deleted_at IS NULL AND (
    node.out_degree + node.in_degree >= %(least)s OR EXISTS (
        SELECT 1 FROM node_summary AS summary
        WHERE summary.knowledge_space_id = %(space_id)s AND summary.node_id = node.id
    )
)
ORDER BY node.id
ON CONFLICT (knowledge_space_id, node_id) DO NOTHING

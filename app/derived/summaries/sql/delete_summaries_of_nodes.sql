-- delete_summaries_of_nodes: delete the summaries of these nodes with their history, and have the gate evaluate those that still exist.
DELETE FROM node_summary WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[]);
INSERT INTO changed_node AS standing (knowledge_space_id, node_id, change)
SELECT node.knowledge_space_id, node.id, %(mark)s::uuid FROM graph_node AS node
WHERE node.knowledge_space_id = %(space_id)s AND node.id = ANY(%(nodes)s::uuid[])
ORDER BY node.id
ON CONFLICT (knowledge_space_id, node_id) DO UPDATE SET change = excluded.change

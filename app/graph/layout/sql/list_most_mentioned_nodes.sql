-- list_most_mentioned_nodes: the ids of the most mentioned nodes.
SELECT node.id FROM graph_node AS node
WHERE node.knowledge_space_id = %(space_id)s
ORDER BY node.mention_count DESC, node.id LIMIT %(limit)s

-- find_merge_that_removed_node: the merge in force that removed a node.
SELECT id FROM node_merge
WHERE knowledge_space_id = %(space_id)s AND loser_node_id = %(node)s AND undone_at IS NULL
ORDER BY graph_revision DESC LIMIT 1

-- list_nodes_without_community: the most mentioned nodes without a community.
SELECT node.id FROM graph_node AS node
WHERE node.knowledge_space_id = %(space_id)s
  AND NOT EXISTS (
      SELECT FROM community_member AS member
      WHERE member.knowledge_space_id = %(space_id)s AND member.node_id = node.id)
ORDER BY node.mention_count DESC, node.id LIMIT %(limit)s

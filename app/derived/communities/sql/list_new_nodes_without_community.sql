-- list_new_nodes_without_community: nodes in no community that are mentioned in chunks created after a moment, up to a limit.
SELECT DISTINCT mention.node_id FROM node_mention AS mention
WHERE mention.knowledge_space_id = %(space_id)s AND mention.chunk_id >= %(since)s
  AND NOT EXISTS (
    SELECT 1 FROM community_member AS member
    WHERE member.knowledge_space_id = %(space_id)s AND member.node_id = mention.node_id
  )
ORDER BY mention.node_id LIMIT %(limit)s

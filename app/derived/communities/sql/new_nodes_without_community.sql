-- new_nodes_without_community: nodes that no community holds and that chunks name which came after a moment, at most so many.
SELECT DISTINCT mention.node_id FROM node_mention AS mention
WHERE mention.knowledge_space_id = %(space_id)s AND mention.chunk_id >= %(since)s
  AND NOT EXISTS (
    SELECT 1 FROM community_member AS member
    WHERE member.knowledge_space_id = %(space_id)s AND member.node_id = mention.node_id
  )
ORDER BY mention.node_id LIMIT %(limit)s

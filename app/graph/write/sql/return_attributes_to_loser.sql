-- return_attributes_to_loser: return attributes to a merged node along with its mentions, unless they are about the winner's name.
UPDATE node_attribute SET node_id = %(loser)s
WHERE knowledge_space_id = %(space_id)s AND node_id = %(winner)s
  AND (chunk_id = ANY(%(moved)s::uuid[]) OR (chunk_id = ANY(%(shared)s::uuid[]) AND said_of = ANY(%(names)s::text[])))

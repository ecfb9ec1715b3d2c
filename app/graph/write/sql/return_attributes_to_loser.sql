-- return_attributes_to_loser: what chunks say of a merged node goes back to it where its mention does, unless said of the winner's name.
UPDATE node_attribute SET node_id = %(loser)s
WHERE knowledge_space_id = %(space_id)s AND node_id = %(winner)s
  AND (chunk_id = ANY(%(moved)s::uuid[]) OR (chunk_id = ANY(%(shared)s::uuid[]) AND said_of = ANY(%(names)s::text[])))

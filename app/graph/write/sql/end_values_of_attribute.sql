-- end_values_of_attribute: end a value of a node, as a person decided, in every row that states it and has not ended; return their chunks.
UPDATE node_attribute SET ended_at = %(at)s, ended_by = %(by)s, ended_reason = %(reason)s
WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s AND name = %(name)s AND confidence IS NULL AND ended_at IS NULL
  AND ((value = %(value)s::jsonb) = %(this)s::boolean)
RETURNING chunk_id

-- restore_values_and_count: restore an ended value of a node, as a person decided, in every row that states it; return their chunks.
UPDATE node_attribute SET ended_at = NULL, ended_by = NULL, ended_reason = NULL
WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s AND name = %(name)s AND confidence IS NULL AND ended_at IS NOT NULL
  AND value = %(value)s::jsonb
RETURNING chunk_id

-- restore_values: a person takes back that a value of a node ended, for every row that states it; returns their chunks.
UPDATE node_attribute SET ended_at = NULL, ended_by = NULL, ended_reason = NULL
WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s AND name = %(name)s AND confidence IS NULL AND ended_at IS NOT NULL
  AND value = %(value)s::jsonb
RETURNING chunk_id

-- get_mentions_of_node: the mentions of a node in these chunks, and wherever the text gives it one of these names.
SELECT chunk_id, surface_form, char_start, char_end, name, node_type, sense, titular FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s
  AND (chunk_id = ANY(%(chunks)s::uuid[]) OR name = ANY(%(names)s::text[]))
ORDER BY chunk_id

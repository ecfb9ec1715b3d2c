-- faulty_mentions: the first of these mentions whose chunk or node is missing, or whose words are not the chunk's.
SELECT t.line, chunk.id IS NULL OR node.id IS NULL
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(line int, chunk_id uuid, node_id uuid, surface_form text,
    char_start int, char_end int)
LEFT JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = t.chunk_id
LEFT JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = t.node_id
WHERE chunk.id IS NULL OR node.id IS NULL OR t.char_end < t.char_start
   OR (t.char_end > t.char_start
       AND substr(chunk.text, t.char_start + 1, t.char_end - t.char_start) <> t.surface_form)
ORDER BY t.line
LIMIT 1

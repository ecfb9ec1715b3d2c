-- faulty_attributes: the first of these values whose chunk or node is missing, or whose quote is not the chunk's.
SELECT t.line, chunk.id IS NULL OR node.id IS NULL
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(line int, chunk_id uuid, node_id uuid, quote text,
    char_start int, char_end int)
LEFT JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = t.chunk_id
LEFT JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = t.node_id
WHERE chunk.id IS NULL OR node.id IS NULL OR t.char_end <= t.char_start
   OR substr(chunk.text, t.char_start + 1, t.char_end - t.char_start) <> t.quote
ORDER BY t.line
LIMIT 1

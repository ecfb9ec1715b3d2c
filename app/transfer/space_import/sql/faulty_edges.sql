-- faulty_edges: the first of these edges with an end or a chunk that is missing, or a quote that is not the chunk's.
SELECT t.line, source.id IS NULL OR target.id IS NULL OR (t.evidence_chunk_id IS NOT NULL AND chunk.id IS NULL)
FROM jsonb_to_recordset(%(rows)s::jsonb) AS t(line int, from_node_id uuid, to_node_id uuid,
    evidence_chunk_id uuid, metadata jsonb)
LEFT JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = t.from_node_id
LEFT JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = t.to_node_id
LEFT JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = t.evidence_chunk_id
WHERE source.id IS NULL OR target.id IS NULL OR (t.evidence_chunk_id IS NOT NULL AND chunk.id IS NULL)
   -- An edge without evidence has no words left to say.
   OR (t.evidence_chunk_id IS NULL AND t.metadata ->> 'quote' IS NOT NULL)
   OR (t.metadata ->> 'quote' IS NOT NULL AND substr(chunk.text, (t.metadata ->> 'charStart')::int + 1,
           greatest((t.metadata ->> 'charEnd')::int - (t.metadata ->> 'charStart')::int, 0))
       IS DISTINCT FROM t.metadata ->> 'quote')
ORDER BY t.line
LIMIT 1

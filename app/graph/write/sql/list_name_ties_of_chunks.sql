-- list_name_ties_of_chunks: the names that these chunks give to one thing, [type, name, …], with each node that the chunk mentions.
SELECT mention.node_id, tie.value FROM knowledge_chunk AS chunk
JOIN node_mention AS mention ON mention.knowledge_space_id = %(space_id)s AND mention.chunk_id = chunk.id
CROSS JOIN LATERAL jsonb_array_elements(chunk.name_ties) AS tie
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[]) AND chunk.name_ties IS NOT NULL

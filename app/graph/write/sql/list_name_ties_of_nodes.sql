-- list_name_ties_of_nodes: what all chunks that mention these nodes say about their names: [type, name, …].
SELECT DISTINCT node_id, jsonb_build_array(node_type, name) FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
UNION
SELECT mention.node_id, tie.value FROM node_mention AS mention
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = mention.chunk_id
    AND chunk.name_ties IS NOT NULL
CROSS JOIN LATERAL jsonb_array_elements(chunk.name_ties) AS tie
WHERE mention.knowledge_space_id = %(space_id)s AND mention.node_id = ANY(%(nodes)s::uuid[])

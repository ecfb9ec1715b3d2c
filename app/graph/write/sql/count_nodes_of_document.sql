-- count_nodes_of_document: the number of nodes that the chunks of a document mention.
SELECT count(DISTINCT m.node_id)
FROM knowledge_chunk c
JOIN node_mention m ON m.knowledge_space_id = c.knowledge_space_id AND m.chunk_id = c.id
WHERE c.knowledge_space_id = %(space_id)s AND m.knowledge_space_id = %(space_id)s AND c.document_id = %(document)s

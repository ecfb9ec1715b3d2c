-- delete_attributes_of_chunks: delete the attributes and statements of these chunks; return the nodes, and whether it was an attribute.
DELETE FROM node_attribute
WHERE knowledge_space_id = %(space_id)s AND chunk_id = ANY(%(chunks)s::uuid[])
RETURNING node_id, confidence IS NULL

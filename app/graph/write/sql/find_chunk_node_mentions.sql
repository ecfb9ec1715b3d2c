-- find_chunk_node_mentions: the pairs of these chunks and nodes in which the chunk mentions the node.
SELECT chunk_id, node_id FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND chunk_id = ANY(%(chunks)s::uuid[]) AND node_id = ANY(%(nodes)s::uuid[])

-- get_node_vectors: the vectors of these nodes' names, where they exist.
SELECT node_id, embedding FROM node_vector
WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s AND node_id = ANY(%(nodes)s::uuid[])

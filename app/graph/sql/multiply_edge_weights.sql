-- multiply_edge_weights: multiply the weights of the edges with evidence in these chunks, up to 1.
UPDATE graph_edge SET weight = least(weight * %(factor)s, 1)
WHERE knowledge_space_id = %(space_id)s AND evidence_chunk_id = ANY(%(chunks)s::uuid[])

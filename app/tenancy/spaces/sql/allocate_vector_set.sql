-- allocate_vector_set: the number of a new set of vectors.
UPDATE knowledge_space SET newest_vector_set = newest_vector_set + 1
WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s RETURNING newest_vector_set

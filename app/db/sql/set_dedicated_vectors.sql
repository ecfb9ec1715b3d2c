-- set_dedicated_vectors: record whether the space's vectors are in partitions of its own, which the caller has filled.
UPDATE knowledge_space SET dedicated_vectors = %(dedicated)s WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

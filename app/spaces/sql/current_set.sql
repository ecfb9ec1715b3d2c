-- current_set: the set of vectors that the space compares with now, not as it was when it was opened.
SELECT vector_set FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

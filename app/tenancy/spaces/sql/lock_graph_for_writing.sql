-- lock_graph_for_writing: the next graph revision of the space, whose row stays locked until the transaction ends.
UPDATE knowledge_space SET graph_revision = graph_revision + 1
WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s RETURNING graph_revision

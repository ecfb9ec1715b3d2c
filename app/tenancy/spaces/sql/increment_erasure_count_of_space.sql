-- increment_erasure_count_of_space: record that something was deleted from the space, whose row is locked.
UPDATE knowledge_space SET erasures = erasures + 1 WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

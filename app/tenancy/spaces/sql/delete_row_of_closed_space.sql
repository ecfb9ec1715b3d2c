-- delete_row_of_closed_space: the row of a closed space, and by cascade the little that is left of what it owned.
DELETE FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s AND closed_at IS NOT NULL

-- delete_row_of_closed_space: delete the row of a closed space, and by cascade its few remaining rows.
DELETE FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s AND closed_at IS NOT NULL

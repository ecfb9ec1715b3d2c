-- close_space: close the space, so that it cannot be opened and its name is free.
UPDATE knowledge_space SET closed_at = now(), name = name || ' (deleted ' || id || ')', updated_at = now()
WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

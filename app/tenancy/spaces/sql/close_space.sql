-- close_space: nobody opens the space any more, and another one may have its name.
UPDATE knowledge_space SET closed_at = now(), name = name || ' (deleted ' || id || ')', updated_at = now()
WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

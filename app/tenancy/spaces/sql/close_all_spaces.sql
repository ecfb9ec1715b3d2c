-- close_all_spaces: nobody opens any space of the tenant any more.
UPDATE knowledge_space SET closed_at = now(), name = name || ' (deleted ' || id || ')', updated_at = now()
WHERE tenant_id = %(tenant_id)s AND closed_at IS NULL

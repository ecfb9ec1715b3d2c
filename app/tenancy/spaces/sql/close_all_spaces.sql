-- close_all_spaces: close all spaces of the tenant, so that none can be opened.
UPDATE knowledge_space SET closed_at = now(), name = name || ' (deleted ' || id || ')', updated_at = now()
WHERE tenant_id = %(tenant_id)s AND closed_at IS NULL

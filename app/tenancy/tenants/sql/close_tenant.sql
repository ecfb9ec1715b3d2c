-- close_tenant: close the tenant, so that it is no longer found and its name is free. No row if it is closed.
UPDATE tenant SET closed_at = now(), name = name || ' (deleted ' || id || ')', updated_at = now()
WHERE id = %(id)s AND closed_at IS NULL RETURNING id

-- close_tenant: nobody finds the tenant any more, and another one may have its name. Nothing where it is closed.
UPDATE tenant SET closed_at = now(), name = name || ' (deleted ' || id || ')', updated_at = now()
WHERE id = %(id)s AND closed_at IS NULL RETURNING id

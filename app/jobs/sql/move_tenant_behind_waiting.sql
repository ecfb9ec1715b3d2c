-- move_tenant_behind_waiting: a tenant was served until now: those that waited meanwhile come before it.
UPDATE tenant SET last_claimed_at = clock_timestamp() WHERE id = %(tenant_id)s

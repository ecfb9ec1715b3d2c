-- move_tenant_behind_waiting: record that a tenant was served now, so that waiting tenants come before it.
UPDATE tenant SET last_claimed_at = clock_timestamp() WHERE id = %(tenant_id)s

-- sum_receipts_of_erasure: the rows by table that were deleted with keys and spaces of a tenant since its erasure was requested, and who requested it.
WITH asked AS (
    SELECT actor, created_at FROM audit_event
    WHERE tenant_id = %(tenant_id)s AND action = 'tenant.close' ORDER BY id DESC LIMIT 1
)
SELECT counted.key, sum(counted.value::bigint)::bigint, (SELECT actor FROM asked)
FROM audit_event AS entry CROSS JOIN LATERAL jsonb_each_text(entry.details) AS counted
WHERE entry.tenant_id = %(tenant_id)s AND entry.action IN ('tenant.close', 'space.erase') AND entry.created_at >= (SELECT created_at FROM asked)
GROUP BY counted.key
UNION ALL
SELECT NULL, 0, actor FROM asked

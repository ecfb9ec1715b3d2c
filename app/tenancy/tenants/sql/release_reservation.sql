-- release_reservation: a call has ended: what was set aside for it is free.
DELETE FROM budget_reservation
WHERE knowledge_space_id = %(space_id)s AND tenant_id = %(tenant_id)s AND id = %(id)s

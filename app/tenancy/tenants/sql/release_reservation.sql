-- release_reservation: delete the reservation of a call that has ended.
DELETE FROM budget_reservation
WHERE knowledge_space_id = %(space_id)s AND tenant_id = %(tenant_id)s AND id = %(id)s

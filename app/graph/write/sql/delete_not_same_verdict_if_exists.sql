-- delete_not_same_verdict_if_exists: delete a person's verdict on a pair of names, which is doubtful again.
DELETE FROM node_pair_verdict v
WHERE v.knowledge_space_id = %(space_id)s AND v.by_person AND NOT v.same
  AND v.name_a = %(name_a)s AND v.type_a = %(type_a)s AND v.name_b = %(name_b)s AND v.type_b = %(type_b)s
RETURNING v.name_a

-- list_pairs_kept_apart: the pairs of names that persons declared to be different, newest first.
SELECT v.name_a, v.type_a, v.name_b, v.type_b, v.decided_by, v.created_at FROM node_pair_verdict v
WHERE v.knowledge_space_id = %(space_id)s AND v.by_person AND NOT v.same
ORDER BY v.created_at DESC, v.name_a, v.type_a, v.name_b, v.type_b
LIMIT %(limit)s

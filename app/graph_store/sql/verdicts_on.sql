-- verdicts_on: what was decided about pairs in which one of these names stands.
SELECT name_a, type_a, name_b, type_b, same, by_person FROM node_pair_verdict
WHERE knowledge_space_id = %(space_id)s AND name_a = ANY(%(names)s::text[])
UNION
SELECT name_a, type_a, name_b, type_b, same, by_person FROM node_pair_verdict
WHERE knowledge_space_id = %(space_id)s AND name_b = ANY(%(names)s::text[])
ORDER BY 1, 2, 3, 4

-- list_verdicts_on_names: the verdicts on pairs that contain one of these names.
-- Name by name, so that each half is served by one index, whatever the statistics.
SELECT pair.name_a, pair.type_a, pair.name_b, pair.type_b, pair.same, pair.by_person
FROM unnest(%(names)s::text[]) AS given (name)
CROSS JOIN LATERAL (
    (SELECT name_a, type_a, name_b, type_b, same, by_person FROM node_pair_verdict
     WHERE knowledge_space_id = %(space_id)s AND name_a = given.name OFFSET 0)
    UNION ALL
    (SELECT name_a, type_a, name_b, type_b, same, by_person FROM node_pair_verdict
     WHERE knowledge_space_id = %(space_id)s AND name_b = given.name OFFSET 0)
) AS pair
GROUP BY 1, 2, 3, 4, 5, 6
ORDER BY 1, 2, 3, 4

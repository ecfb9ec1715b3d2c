-- store_verdicts: store verdicts on pairs; a person's replaces any, a model's replaces no person's.
INSERT INTO node_pair_verdict AS v (knowledge_space_id, name_a, type_a, name_b, type_b, same, decided_by, by_person,
    reason, confidence, created_at)
SELECT here.knowledge_space_id, t.name_a, t.type_a, t.name_b, t.type_b, t.same, t.decided_by, t.by_person, t.reason, t.confidence, now()
FROM unnest(%(names_a)s::text[], %(types_a)s::text[], %(names_b)s::text[], %(types_b)s::text[], %(sames)s::bool[],
    %(deciders)s::text[], %(persons)s::bool[], %(reasons)s::text[], %(confidences)s::real[])
    AS t(name_a, type_a, name_b, type_b, same, decided_by, by_person, reason, confidence)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, name_a, type_a, name_b, type_b) DO UPDATE SET
    same = excluded.same, decided_by = excluded.decided_by, by_person = excluded.by_person, reason = excluded.reason,
    confidence = excluded.confidence, created_at = excluded.created_at
WHERE excluded.by_person OR NOT v.by_person

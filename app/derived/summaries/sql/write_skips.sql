-- write_skips: skips for a person to review; of a space only the newest are kept.
DELETE FROM summary_skip WHERE knowledge_space_id = %(space_id)s AND id <= (
    SELECT kept.id FROM summary_skip AS kept WHERE kept.knowledge_space_id = %(space_id)s
    ORDER BY kept.id DESC OFFSET greatest(%(most)s - cardinality(%(ids)s::uuid[]), 0) LIMIT 1
);
INSERT INTO summary_skip (knowledge_space_id, id, node_id, number, at, reason, drift, new_facts)
SELECT here.knowledge_space_id, t.id, t.node_id, t.number, t.at, t.reason, t.drift,
    ARRAY(SELECT jsonb_array_elements_text(t.new_facts::jsonb))
FROM unnest(%(ids)s::uuid[], %(nodes)s::uuid[], %(numbers)s::int[], %(times)s::timestamptz[], %(reasons)s::text[],
    %(drifts)s::float8[], %(new_facts)s::text[]) AS t(id, node_id, number, at, reason, drift, new_facts)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s

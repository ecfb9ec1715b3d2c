-- record_splits: record which node was split, why and by whom; for a person's split also which texts moved.
INSERT INTO node_split (knowledge_space_id, id, node_id, new_node_id, mentions, content_hashes, seals, reason, decided_by)
SELECT here.knowledge_space_id, t.id, t.node_id, t.new_node_id, t.mentions,
    CASE WHEN t.reason = 'person' THEN %(hashes)s::text[] ELSE '{}' END,
    CASE WHEN t.reason = 'person' THEN %(seals)s::bytea[] ELSE '{}' END, t.reason, t.decided_by
FROM unnest(%(ids)s::uuid[], %(nodes)s::uuid[], %(new_nodes)s::uuid[], %(mentions)s::int[], %(reasons)s::text[],
    %(deciders)s::text[]) AS t(id, node_id, new_node_id, mentions, reason, decided_by)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s

-- insert_names: insert names of nodes; a full name replaces a short one.
INSERT INTO node_name AS n (knowledge_space_id, normalised_name, node_id, name, kind, spelling_key)
SELECT here.knowledge_space_id, t.normalised, t.node_id, t.written, t.kind, spelling_key(t.normalised)
FROM unnest(%(names)s::text[], %(nodes)s::uuid[], %(written)s::text[], %(kinds)s::text[])
    AS t(normalised, node_id, written, kind)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ON CONFLICT (knowledge_space_id, normalised_name, node_id) DO UPDATE SET
    name = greatest(n.name COLLATE "C", excluded.name COLLATE "C"),
    kind = CASE WHEN n.kind = 'short' THEN excluded.kind ELSE n.kind END
WHERE n.name COLLATE "C" < excluded.name COLLATE "C" OR (n.kind = 'short' AND excluded.kind <> 'short')

-- restore_merged_node: restore a merged node under its former id, for now without its name, which may be in use.
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, metadata, confidence, source, first_seen_at,
    last_seen_at, created_at)
SELECT m.knowledge_space_id, %(node)s::uuid, %(node)s::text, m.loser_type, m.loser -> 'metadata',
    (m.loser ->> 'confidence')::real, m.loser ->> 'source', (m.loser ->> 'first_seen_at')::timestamptz,
    (m.loser ->> 'last_seen_at')::timestamptz, (m.loser ->> 'created_at')::timestamptz
FROM node_merge m WHERE m.knowledge_space_id = %(space_id)s AND m.id = %(merge)s

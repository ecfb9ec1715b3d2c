-- store_pairs: store the pairs of likely spellings; those stored by a later transaction stay.
INSERT INTO kept_pairs AS kept (knowledge_space_id, graph_revision, seconds, first_nodes, second_nodes)
VALUES (%(space_id)s, %(revision)s, %(seconds)s, %(ones)s::uuid[], %(others)s::uuid[])
ON CONFLICT (knowledge_space_id) DO UPDATE
SET graph_revision = excluded.graph_revision, seconds = excluded.seconds, first_nodes = excluded.first_nodes,
    second_nodes = excluded.second_nodes, created_at = excluded.created_at
WHERE kept.created_at <= excluded.created_at

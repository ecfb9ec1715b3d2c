-- write_voted_name_and_type: set name, type and metadata of a node by its votes, unless another node has that name and type.
-- Metadata keys that are null are removed.
UPDATE graph_node SET canonical_name = %(name)s, node_type = %(node_type)s, metadata = (
        SELECT jsonb_object_agg(key, value) FROM jsonb_each(graph_node.metadata || (%(metadata)s::jsonb - 'attributes'))
        WHERE value <> 'null'
    ),
    confidence = %(confidence)s, first_seen_at = %(first_seen_at)s, last_seen_at = %(last_seen_at)s,
    updated_at = now()
WHERE knowledge_space_id = %(space_id)s AND id = %(node)s
  AND NOT EXISTS (
    SELECT 1 FROM graph_node o
    WHERE o.knowledge_space_id = %(space_id)s AND o.canonical_name = %(name)s AND o.node_type = %(node_type)s
      AND o.id <> %(node)s)
RETURNING id

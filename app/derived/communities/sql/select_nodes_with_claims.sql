-- select_nodes_with_claims: those of these nodes that have an active edge which the detection reads.
SELECT node.id FROM unnest(%(nodes)s::uuid[]) AS node(id)
WHERE EXISTS (
    SELECT 1 FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = node.id
      AND edge_holds(deleted_at, invalidated_at) AND relation_type <> ALL(%(addresses)s::text[])
) OR EXISTS (
    SELECT 1 FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND to_node_id = node.id
      AND edge_holds(deleted_at, invalidated_at) AND relation_type <> ALL(%(addresses)s::text[])
)

-- read_edges_touching_nodes: all edges of these nodes, each once, without those that touch the excluded nodes, as blocks of bytes.
SELECT string_agg(uuid_send(edge.from_node_id), ''::bytea), string_agg(uuid_send(edge.to_node_id), ''::bytea),
    string_agg(float4send(edge.weight), ''::bytea), string_agg(int4send(hashtext(edge.relation_type)), ''::bytea)
FROM unnest(%(nodes)s::uuid[]) AS node(id)
CROSS JOIN LATERAL (
    SELECT leaving.from_node_id, leaving.to_node_id, leaving.weight, leaving.relation_type FROM graph_edge AS leaving
    WHERE leaving.knowledge_space_id = %(space_id)s AND leaving.from_node_id = node.id
      AND leaving.to_node_id <> ALL(%(but)s::uuid[])
      AND edge_holds(leaving.deleted_at, leaving.invalidated_at)
      AND leaving.relation_type <> ALL(%(addresses)s::text[])
    UNION ALL
    SELECT entering.from_node_id, entering.to_node_id, entering.weight, entering.relation_type
    FROM graph_edge AS entering
    WHERE entering.knowledge_space_id = %(space_id)s AND entering.to_node_id = node.id
      AND entering.from_node_id <> ALL(%(nodes)s::uuid[]) AND entering.from_node_id <> ALL(%(but)s::uuid[])
      AND edge_holds(entering.deleted_at, entering.invalidated_at)
      AND entering.relation_type <> ALL(%(addresses)s::text[])
) AS edge

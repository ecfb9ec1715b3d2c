-- read_edges_between_pairs: all edges of these pairs of nodes, in both directions, as blocks of bytes.
SELECT string_agg(uuid_send(edge.from_node_id), ''::bytea), string_agg(uuid_send(edge.to_node_id), ''::bytea),
    string_agg(float4send(edge.weight), ''::bytea), string_agg(int4send(hashtext(edge.relation_type)), ''::bytea)
FROM unnest(%(first)s::uuid[] || %(second)s::uuid[], %(second)s::uuid[] || %(first)s::uuid[]) AS pair(one, other)
CROSS JOIN LATERAL (
    SELECT own.from_node_id, own.to_node_id, own.weight, own.relation_type FROM graph_edge AS own
    WHERE own.knowledge_space_id = %(space_id)s AND own.from_node_id = pair.one AND own.to_node_id = pair.other
      AND edge_holds(own.deleted_at, own.invalidated_at) AND own.relation_type <> ALL(%(addresses)s::text[])
) AS edge

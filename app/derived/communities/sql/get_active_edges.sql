-- get_active_edges: the present state of these edges, as blocks of bytes; ended and deleted ones are left out.
SELECT string_agg(uuid_send(from_node_id), ''::bytea), string_agg(uuid_send(to_node_id), ''::bytea),
    string_agg(float4send(weight), ''::bytea), string_agg(int4send(hashtext(relation_type)), ''::bytea)
FROM graph_edge
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) AND edge_holds(deleted_at, invalidated_at)
  AND relation_type <> ALL(%(addresses)s::text[])

-- read_graph: the revision, what was noted of changes, all nodes and all edges as blocks of bytes, out of one snapshot.
SELECT 'space' AS part, graph_revision, now() AS read_at, NULL::bytea AS ids, NULL::bytea AS targets,
    NULL::bytea AS weights, NULL::bytea AS relations
FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s
UNION ALL
SELECT 'changes', NULL, NULL, string_agg(uuid_send(id), ''::bytea), NULL, NULL, NULL
FROM edge_change WHERE knowledge_space_id = %(space_id)s
UNION ALL
SELECT 'nodes', NULL, NULL, string_agg(uuid_send(id), ''::bytea), NULL, NULL, NULL
FROM graph_node WHERE knowledge_space_id = %(space_id)s AND deleted_at IS NULL
UNION ALL
-- A column at a time, which costs less than joining the fields of a row; 64 blocks, since a value holds 1 GB.
SELECT 'edges', NULL, NULL, string_agg(uuid_send(from_node_id), ''::bytea), string_agg(uuid_send(to_node_id), ''::bytea),
    string_agg(float4send(weight), ''::bytea), string_agg(int4send(hashtext(relation_type)), ''::bytea)
FROM graph_edge WHERE knowledge_space_id = %(space_id)s AND deleted_at IS NULL AND invalidated_at IS NULL
GROUP BY uuid_hash(id) & 63

-- get_nodes: the nodes with these ids.
SELECT
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM graph_node AS node
WHERE node.knowledge_space_id = %(space_id)s AND node.id = ANY(%(ids)s::uuid[])

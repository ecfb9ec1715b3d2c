-- list_nodes: a page of the nodes that pass the filters, most mentioned first.
SELECT
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM graph_node AS node
WHERE node.knowledge_space_id = %(space_id)s
  AND
    -- include node_passes
ORDER BY node.mention_count DESC, node.id
LIMIT %(limit)s

-- are_shard_tables_large: on a cluster, whether the shard of the open space has 20 pages of chunks, nodes and edges; false for a space without any.
SELECT count(*) = 3 AND min(relation.bytes) >= 163840
FROM (
    (SELECT pg_relation_size(chunk.tableoid) AS bytes FROM knowledge_chunk AS chunk WHERE chunk.knowledge_space_id = %(space_id)s LIMIT 1)
    UNION ALL
    (SELECT pg_relation_size(node.tableoid) FROM graph_node AS node WHERE node.knowledge_space_id = %(space_id)s LIMIT 1)
    UNION ALL
    (SELECT pg_relation_size(edge.tableoid) FROM graph_edge AS edge WHERE edge.knowledge_space_id = %(space_id)s LIMIT 1)
) AS relation

-- list_edges_with_other_values: the edges from these nodes with the same relation and another target than the given ones.
SELECT
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
    edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote', edge.metadata ->> 'charStart',
    edge.metadata ->> 'charEnd',
    chunk.id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place)),
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree,
    node.in_degree, node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM unnest(%(from_nodes)s::uuid[], %(relations)s::text[]) AS given (from_node_id, relation_type)
CROSS JOIN LATERAL (
    SELECT strong.* FROM (
        SELECT id, weight, relation_type FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = given.from_node_id
          AND deleted_at IS NULL
          -- include edge_holds
        ORDER BY weight DESC LIMIT %(scan)s
    ) AS strong
    WHERE strong.relation_type = given.relation_type ORDER BY strong.weight DESC LIMIT %(limit)s
) AS other
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.id = other.id
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = edge.to_node_id
LEFT JOIN knowledge_chunk AS chunk
    ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
LEFT JOIN document
    ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
ORDER BY edge.weight DESC, edge.id

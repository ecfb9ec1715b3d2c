-- list_conflicts: a page of the nodes with several values of a relation, each with the rows that state them.
-- Ended rows count, so that decisions are displayed too. Groups are sorted by relation type and node, for paging.
WITH several AS MATERIALIZED (
    SELECT edge.relation_type, edge.from_node_id,
        count(DISTINCT edge.to_node_id) FILTER (WHERE edge_holds(edge.deleted_at, edge.invalidated_at)) AS standing
    FROM graph_edge AS edge
    WHERE edge.knowledge_space_id = %(space_id)s AND edge.relation_type = ANY(%(relations)s::text[])
      AND edge.deleted_at IS NULL AND edge.polarity = 'asserted'
      AND (%(after_node)s::uuid IS NULL OR edge.relation_type > %(after_relation)s::text
           OR edge.relation_type = %(after_relation)s::text AND edge.from_node_id > %(after_node)s::uuid)
    GROUP BY edge.relation_type, edge.from_node_id
    HAVING count(DISTINCT edge.to_node_id) FILTER (WHERE NOT %(contested)s::bool OR edge_holds(edge.deleted_at, edge.invalidated_at)) > 1
    ORDER BY edge.relation_type, edge.from_node_id
), found AS MATERIALIZED (
    SELECT * FROM several WHERE EXISTS (
        SELECT 1 FROM graph_edge AS value
        JOIN graph_edge AS other ON other.knowledge_space_id = %(space_id)s AND other.from_node_id = several.from_node_id
            AND other.relation_type = several.relation_type AND other.deleted_at IS NULL AND other.polarity = 'asserted'
            AND (NOT %(contested)s::bool OR edge_holds(other.deleted_at, other.invalidated_at))
            AND other.to_node_id > value.to_node_id AND NOT EXISTS (
                SELECT 1 FROM graph_edge AS lies
                WHERE lies.knowledge_space_id = %(space_id)s AND lies.relation_type = ANY(%(lies_in)s::text[]) AND lies.polarity = 'asserted'
                  AND (lies.from_node_id = value.to_node_id AND lies.to_node_id = other.to_node_id
                       OR lies.from_node_id = other.to_node_id AND lies.to_node_id = value.to_node_id)
                  AND edge_holds(lies.deleted_at, lies.invalidated_at))
        WHERE value.knowledge_space_id = %(space_id)s AND value.from_node_id = several.from_node_id
          AND value.relation_type = several.relation_type AND value.deleted_at IS NULL AND value.polarity = 'asserted'
          AND (NOT %(contested)s::bool OR edge_holds(value.deleted_at, value.invalidated_at)))
    ORDER BY relation_type, from_node_id LIMIT %(limit)s
)
SELECT
    edge.id, edge.from_node_id, edge.to_node_id, edge.relation_type, edge.weight, edge.confidence, edge.status,
    edge.valid_from, edge.invalidated_at, edge.ends_at, edge.metadata ->> 'quote', edge.metadata ->> 'charStart',
    edge.metadata ->> 'charEnd',
    chunk.id, chunk.document_id, document.title, chunk.char_start, chunk.char_end, coalesce(chunk.places, to_jsonb(chunk.place)),
    subject.canonical_name, value.canonical_name,
    coalesce(edge.valid_from, (edge.metadata ->> 'statedAt')::timestamptz),
    ending.decision_id, ending.kind, ending.decided_by, ending.reason, ending.source_edge_id, found.standing
FROM found
CROSS JOIN LATERAL (
    SELECT id FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = found.from_node_id
      AND relation_type = found.relation_type AND deleted_at IS NULL AND polarity = 'asserted'
    ORDER BY edge_holds(deleted_at, invalidated_at) DESC, weight DESC, id LIMIT %(per_set)s
) AS told
JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.id = told.id
JOIN graph_node AS subject
    ON subject.knowledge_space_id = %(space_id)s AND subject.id = edge.from_node_id
JOIN graph_node AS value
    ON value.knowledge_space_id = %(space_id)s AND value.id = edge.to_node_id
LEFT JOIN knowledge_chunk AS chunk
    ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = edge.evidence_chunk_id
LEFT JOIN document
    ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
LEFT JOIN edge_invalidation AS ending
    ON ending.knowledge_space_id = %(space_id)s AND ending.edge_id = edge.id AND ending.undone_at IS NULL
ORDER BY edge.relation_type, edge.from_node_id, edge_holds(edge.deleted_at, edge.invalidated_at) DESC, edge.weight DESC, edge.id

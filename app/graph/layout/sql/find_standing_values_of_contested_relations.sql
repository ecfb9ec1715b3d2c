-- find_standing_values_of_contested_relations: those of these nodes and relations that have several standing values at that moment, or now.
SELECT given.from_node_id, given.relation_type, found.standing
FROM unnest(%(from_nodes)s::uuid[], %(relations)s::text[]) AS given (from_node_id, relation_type)
CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT strong.to_node_id) AS standing FROM (
        SELECT relation_type, to_node_id FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = given.from_node_id AND deleted_at IS NULL
          AND evidence_chunk_id IS NOT NULL
          AND edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)
        ORDER BY weight DESC LIMIT %(scan)s
    ) AS strong WHERE strong.relation_type = given.relation_type
) AS found
WHERE cardinality(found.standing) > 1

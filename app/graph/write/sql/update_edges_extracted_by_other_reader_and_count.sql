-- update_edges_extracted_by_other_reader_and_count: assign rows that another reader extracted for the same claims from the same text to this reader.
-- A row keeps its id and its ending. Of several, a row with the same chunk and dates is preferred.
WITH given AS MATERIALIZED (
    SELECT t.*, own.content_hash
    FROM unnest(%(keys)s::uuid[], %(from_nodes)s::uuid[], %(to_nodes)s::uuid[], %(relations)s::text[],
        %(weights)s::real[], %(chunks)s::uuid[], %(metadata)s::text[], %(polarities)s::text[],
        %(begins)s::timestamptz[], %(begin_precisions)s::text[], %(bases)s::text[], %(ends)s::timestamptz[],
        %(end_precisions)s::text[])
        AS t(key, from_node, to_node, relation, weight, chunk, metadata, polarity, begins, begin_precision, basis,
            ends, end_precision)
    JOIN knowledge_chunk AS own ON own.knowledge_space_id = %(space_id)s AND own.id = t.chunk
    WHERE NOT EXISTS (
        SELECT 1 FROM graph_edge AS x WHERE x.knowledge_space_id = %(space_id)s AND x.extraction_key = t.key
    )
), fitting AS MATERIALIZED (
    SELECT DISTINCT ON (edge.id) edge.id, given.key, edge.quote IS DISTINCT FROM (given.metadata::jsonb ->> 'quote') AS reworded
    FROM given
    CROSS JOIN LATERAL (
        SELECT e.id, e.metadata ->> 'quote' AS quote
        FROM knowledge_chunk AS twin
        JOIN graph_edge AS e ON e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id = twin.id
        WHERE twin.knowledge_space_id = %(space_id)s AND twin.content_hash = given.content_hash
          AND e.from_node_id = given.from_node AND e.to_node_id = given.to_node
          AND e.relation_type = given.relation AND e.polarity = given.polarity AND e.deleted_at IS NULL
          AND e.extraction_key <> ALL(%(keys)s::uuid[])
          AND (twin.id = given.chunk OR (e.metadata ->> 'statedAt') IS NOT DISTINCT FROM (given.metadata::jsonb ->> 'statedAt'))
        ORDER BY (e.valid_from, e.valid_to) IS NOT DISTINCT FROM (given.begins, given.ends) DESC, twin.id <> given.chunk, e.id
        LIMIT 1
    ) AS edge
    ORDER BY edge.id, given.key
), reworded AS (
    DELETE FROM fact_vector USING fitting
    WHERE fact_vector.knowledge_space_id = %(space_id)s AND fact_vector.edge_id = fitting.id AND fitting.reworded
)
UPDATE graph_edge SET extraction_key = given.key, weight = given.weight,
    metadata = (graph_edge.metadata - ARRAY['statedAt', 'saidBy']) || given.metadata::jsonb,
    valid_from = given.begins, valid_from_precision = given.begin_precision, valid_from_basis = given.basis,
    valid_to = given.ends, valid_to_precision = given.end_precision
FROM fitting JOIN given ON given.key = fitting.key
WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.id = fitting.id
RETURNING graph_edge.id

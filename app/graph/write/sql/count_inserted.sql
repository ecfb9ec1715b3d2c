-- count_inserted: add newly inserted edges to the degrees of their ends; find claims that were there but have ended.
-- Returns the keys of those claims whose evidence is in another document than the given one. Rows that existed before
-- have none of these ids.
WITH degree AS (
    SELECT node_id, sum(leaving) AS leaving, sum(entering) AS entering
    FROM graph_edge AS new CROSS JOIN LATERAL (
        VALUES (new.from_node_id, 1, 0), (new.to_node_id, 0, 1)
    ) AS ends (node_id, leaving, entering)
    WHERE new.knowledge_space_id = %(space_id)s AND new.id = ANY(%(ids)s::uuid[])
    GROUP BY node_id
), counted AS (
    UPDATE graph_node SET out_degree = out_degree + degree.leaving, in_degree = in_degree + degree.entering
    FROM degree WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = degree.node_id
)
-- If no claim has ended, no row is read.
SELECT given.key FROM unnest(%(keys)s::uuid[], %(documents)s::uuid[]) AS given (key, document)
JOIN graph_edge old ON old.knowledge_space_id = %(space_id)s AND old.extraction_key = given.key
JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = old.evidence_chunk_id
WHERE NOT edge_holds(old.deleted_at, old.invalidated_at) AND old.polarity = 'asserted' AND c.document_id <> given.document AND EXISTS (
    SELECT 1 FROM edge_invalidation x WHERE x.knowledge_space_id = %(space_id)s AND x.undone_at IS NULL
)
ORDER BY given.key

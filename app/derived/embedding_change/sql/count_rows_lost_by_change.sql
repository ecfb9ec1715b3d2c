-- count_rows_lost_by_change: the numbers of chunks, facts and nodes that have a vector in the space's set and none in another, counted up to a bound.
-- One pass over each key, which holds both sets of a row side by side.
SELECT count(*) FROM (
    (SELECT v.chunk_id FROM chunk_vector v
     WHERE v.knowledge_space_id = %(space_id)s AND v.vector_set IN (%(vector_set)s, %(into_set)s)
       AND NOT v.chunk_id = ANY(%(without)s::uuid[])
     GROUP BY v.chunk_id HAVING max(v.vector_set) < %(into_set)s LIMIT %(bound)s)
    UNION ALL
    (SELECT v.edge_id FROM fact_vector v
     WHERE v.knowledge_space_id = %(space_id)s AND v.vector_set IN (%(vector_set)s, %(into_set)s)
       AND NOT v.edge_id = ANY(%(without)s::uuid[])
     GROUP BY v.edge_id HAVING max(v.vector_set) < %(into_set)s LIMIT %(bound)s)
    UNION ALL
    (SELECT v.node_id FROM node_vector v
     WHERE v.knowledge_space_id = %(space_id)s AND v.vector_set IN (%(vector_set)s, %(into_set)s)
       AND NOT v.node_id = ANY(%(without)s::uuid[])
     GROUP BY v.node_id HAVING max(v.vector_set) < %(into_set)s LIMIT %(bound)s)
) AS behind

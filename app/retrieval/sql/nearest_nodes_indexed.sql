-- nearest_nodes_indexed: the nodes nearest to the question, by the space's own index if it is ready, else exact.
-- The first row says whether there is an index. It reads more candidates the more rows there are (pgvector takes
-- 1,000 at most), continues if deleted rows were among them, and may not sort instead, because the planner's estimate
-- of the space's size is unreliable (docs/decisions/0006). The literals are needed for the planner to match the
-- index.
SELECT set_config('hnsw.ef_search',
        least(greatest(own.reltuples, 0) / %(rows_per_candidate)s::int + %(least)s::int, 1000)::int::text, true),
    set_config('hnsw.iterative_scan', 'strict_order', true), set_config('enable_sort', 'off', true)
FROM pg_index JOIN pg_class own ON own.oid = pg_index.indexrelid
WHERE pg_index.indexrelid = to_regclass(%(name)s) AND indisvalid AND indisready;
SELECT node_id, 1 - distance AS similarity
FROM (
    SELECT node_id, (embedding::halfvec(%(dimensions)s)) <=> %(vector)s::halfvec(%(dimensions)s) AS distance
    FROM node_vector
    WHERE knowledge_space_id = %(space_id)s AND vector_set = %(vector_set)s
    ORDER BY distance
    LIMIT %(limit)s
) AS nearest;
SELECT set_config('enable_sort', 'on', true)

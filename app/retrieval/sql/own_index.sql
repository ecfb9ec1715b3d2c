-- own_index: one row where an index of that name is there and ready; then the next search is set to go by it.
-- It looks at the more candidates the more rows the index has (pgvector takes 1,000 at most), goes on where deleted
-- rows were among them, and may not sort instead: what the planner believes of the space's size is no measure
-- (docs/decisions/0006).
SELECT set_config('hnsw.ef_search',
        least(greatest(own.reltuples, 0) / %(rows_per_candidate)s::int + %(least)s::int, 1000)::int::text, true),
    set_config('hnsw.iterative_scan', 'strict_order', true), set_config('enable_sort', 'off', true)
FROM pg_index JOIN pg_class own ON own.oid = pg_index.indexrelid
WHERE pg_index.indexrelid = to_regclass(%(name)s) AND indisvalid AND indisready

-- own_index: one row where an index of that name is there and ready; then the next search is set to go by it.
-- It looks at enough candidates, goes on where deleted rows were among them, and may not sort instead: what the
-- planner believes of the space's size is no measure (docs/decisions/0006).
SELECT set_config('hnsw.ef_search', %(candidates)s, true), set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('enable_sort', 'off', true)
FROM pg_index WHERE indexrelid = to_regclass(%(name)s) AND indisvalid AND indisready

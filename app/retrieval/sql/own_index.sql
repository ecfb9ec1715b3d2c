-- own_index: one row where an index of that name is there and ready.
SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%(name)s) AND indisvalid AND indisready

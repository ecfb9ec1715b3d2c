-- deleted_rows_by_table: how many rows this connection has deleted from each table, cascades included, those of before counted in.
-- The counters of a transaction hold what earlier ones have not handed in yet: only a difference says what was done between.
SELECT relname, n_tup_del FROM pg_stat_xact_user_tables WHERE n_tup_del > 0

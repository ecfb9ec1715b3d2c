-- count_rows_deleted_by_connection: the numbers of rows that this connection has deleted from each table, with cascades and earlier transactions.
-- The counters of a transaction hold what earlier ones have not handed in yet: only a difference says what was done between.
SELECT relname, n_tup_del FROM pg_stat_xact_user_tables WHERE n_tup_del > 0

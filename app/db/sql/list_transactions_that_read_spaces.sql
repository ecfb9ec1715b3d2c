-- list_transactions_that_read_spaces: the transactions that have read the row of a space, as each one does that opens a space.
SELECT DISTINCT virtualtransaction FROM pg_catalog.pg_locks
WHERE locktype = 'relation' AND relation = 'public.knowledge_space'::regclass AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())

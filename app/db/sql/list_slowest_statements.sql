-- list_slowest_statements: the statements with the largest total time since the counters were reset.
SELECT left(query, 400), calls, total_exec_time, mean_exec_time, max_exec_time, rows
FROM pg_stat_statements
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY total_exec_time DESC LIMIT %(limit)s

-- read_database_size: the size of the database on disk, and its present and maximum numbers of connections.
SELECT pg_database_size(current_database()),
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
    current_setting('max_connections')::int, current_setting('server_version')

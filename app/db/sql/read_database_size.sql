-- read_database_size: what the database takes on disk, and the connections that it has and may have.
SELECT pg_database_size(current_database()),
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
    current_setting('max_connections')::int, current_setting('server_version')

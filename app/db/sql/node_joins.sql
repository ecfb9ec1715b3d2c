-- node_joins: the properties that a server needs to become a node of the cluster, as JSON. Run on that server.
SELECT jsonb_build_object('citus', (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
    'vector', (SELECT extversion FROM pg_extension WHERE extname = 'vector'), 'wal_level', current_setting('wal_level'),
    'server', current_setting('server_version_num')::int / 10000, 'standby', pg_is_in_recovery())::text

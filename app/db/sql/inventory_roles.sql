-- inventory_roles: attributes, memberships and settings of our roles and of every other role that can reach our rows.
WITH concerned AS (
    SELECT r.*, r.rolname::text = ANY (%(ours)s) AS ours FROM pg_catalog.pg_roles AS r
    WHERE r.oid = ANY (%(reach)s::oid[]) AND r.oid <> 10
), kind AS (
    SELECT oid, CASE WHEN ours THEN 'fault' WHEN rolname::text = ANY (%(trusted_roles)s) THEN 'known'
                     WHEN rolname::text = ANY (%(logins)s) THEN 'login' ELSE 'fault' END AS standing
    FROM concerned
)
SELECT 'role ' || rolname, 'attributes',
       concat_ws(', ', CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' END,
           CASE WHEN rolcanlogin THEN 'LOGIN' END, CASE WHEN rolcreaterole THEN 'CREATEROLE' END,
           CASE WHEN rolcreatedb THEN 'CREATEDB' END, CASE WHEN rolreplication THEN 'REPLICATION' END,
           CASE WHEN rolinherit THEN 'INHERIT' END),
       standing
FROM concerned JOIN kind USING (oid)
WHERE ours OR rolsuper OR rolbypassrls OR rolreplication
UNION ALL
SELECT 'role ' || rolname, each.aspect, each.value, 'tuning'
FROM concerned, LATERAL (VALUES ('connection limit', nullif(rolconnlimit, -1)::text),
                                ('valid until', nullif(rolvaliduntil, 'infinity')::text)) AS each (aspect, value)
WHERE ours AND each.value IS NOT NULL
UNION ALL
-- Postgres 16 added inherit and set; before it both were the role's own INHERIT and true.
SELECT 'role ' || member.rolname, 'member of ' || granted.rolname,
       concat_ws(', ', CASE WHEN bool_or(m.admin_option) THEN 'may grant it' END,
           CASE WHEN bool_or(coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, member.rolinherit)) THEN 'inherits' END,
           CASE WHEN bool_or(coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)) THEN 'may act as it' END),
       CASE WHEN kind.standing = 'login' AND granted.rolname::text = ANY (%(dangerous)s) THEN 'fault' ELSE kind.standing END
FROM pg_catalog.pg_auth_members AS m
JOIN concerned AS member ON member.oid = m.member
JOIN kind ON kind.oid = m.member
JOIN pg_catalog.pg_roles AS granted ON granted.oid = m.roleid
WHERE member.ours OR m.roleid = ANY (%(reach)s::oid[])
GROUP BY member.rolname, granted.rolname, kind.standing
UNION ALL
-- Others that reach no row of ours, but could make roles, or watch or end what sessions of all do.
SELECT 'role ' || r.rolname, 'attributes', 'CREATEROLE',
       CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'fault' ELSE 'stranger' END
FROM pg_catalog.pg_roles AS r
WHERE r.rolcreaterole AND r.oid <> ALL (%(reach)s::oid[]) AND r.rolname::text <> ALL (%(trusted_roles)s || %(logins)s)
UNION ALL
SELECT 'role ' || member.rolname, 'member of ' || granted.rolname, 'a role of Postgres', 'stranger'
FROM pg_catalog.pg_auth_members AS m
JOIN pg_catalog.pg_roles AS member ON member.oid = m.member AND member.oid >= 16384
JOIN pg_catalog.pg_roles AS granted ON granted.oid = m.roleid AND granted.oid < 16384
WHERE m.roleid <> ALL (%(reach)s::oid[]) AND member.rolname::text <> ALL (%(ours)s || %(trusted_roles)s || %(logins)s)
GROUP BY member.rolname, granted.rolname
UNION ALL
SELECT CASE s.setrole WHEN 0 THEN 'database' ELSE 'role ' || pg_get_userbyid(s.setrole) END,
       'setting ' || split_part(each, '=', 1), substring(each FROM position('=' IN each) + 1),
       CASE WHEN each ~ '^(work_mem|maintenance_work_mem|statement_timeout|lock_timeout|idle_|log_|timezone|random_page_cost|'
                        'effective_|jit|application_name|tcp_|hnsw\.|max_parallel|deadlock_timeout|client_min_messages)'
            THEN 'tuning' ELSE 'fault' END
FROM pg_catalog.pg_db_role_setting AS s, unnest(s.setconfig) AS each
WHERE (s.setdatabase = 0 OR s.setdatabase = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
  AND (s.setrole = 0 OR s.setrole IN (SELECT oid FROM concerned))
UNION ALL
-- Their values at the beginning of a session, whichever file or command gave them.
SELECT 'server', 'setting ' || name, reset_val, 'fault' FROM pg_catalog.pg_settings
WHERE (name, reset_val) IN (('row_security', 'off'), ('allow_system_table_mods', 'on'), ('session_replication_role', 'replica'),
                            ('session_replication_role', 'local'))
   OR (name = 'search_path' AND reset_val <> '"$user", public')
   OR (name IN ('session_preload_libraries', 'local_preload_libraries') AND reset_val <> '')
UNION ALL
-- No wall is down by it. Where a role or a database has it so, that is named above.
SELECT 'server', 'setting ' || name, reset_val, 'tuning' FROM pg_catalog.pg_settings
WHERE name = 'synchronous_commit' AND reset_val = 'off' AND source NOT IN ('global', 'database', 'user', 'database user')
UNION ALL
SELECT 'server', 'setting ' || each, current_setting(each, true), 'fault'
FROM unnest(%(scope)s::text[]) AS each
WHERE current_setting(each, true) <> ''

-- node_walls: the walls on one node of a cluster, as JSON: privileges on its shards, functions, roles and settings. Run on each node.
-- Of shards, each aspect with the shards that have it so: alike ones are one row, and one that differs stands alone.
-- Numbers of shards are taken out of names. A shard is what the catalogue of shards places on this node; 0 is the shell.
WITH content AS (
    SELECT relation.oid AS logical, relation.relname::text AS table_name
    FROM pg_class AS relation
    WHERE relation.relnamespace = 'public'::regnamespace AND relation.relname = ANY(%(tables)s::text[])
), placed AS (
    SELECT content.table_name, 0::bigint AS shard, content.logical AS relation FROM content
    UNION ALL
    SELECT content.table_name, part.shardid, to_regclass(shard_name(content.logical, part.shardid))::oid
    FROM content
    JOIN pg_dist_shard AS part ON part.logicalrelid = content.logical
    JOIN pg_dist_placement AS placement ON placement.shardid = part.shardid
    WHERE placement.groupid = (SELECT groupid FROM pg_dist_local_group)
), aspect AS (
    SELECT placed.table_name, placed.shard, 'row security' AS aspect, CASE WHEN c.oid IS NULL THEN 'the table is not there'
        WHEN c.relrowsecurity AND c.relforcerowsecurity THEN 'forced' WHEN c.relrowsecurity THEN 'not forced' ELSE 'off' END AS value
    FROM placed LEFT JOIN pg_class AS c ON c.oid = placed.relation
    UNION ALL
    SELECT placed.table_name, placed.shard, 'owner and grants', pg_get_userbyid(c.relowner) || ': ' || coalesce((
        SELECT string_agg(each::text, ', ' ORDER BY each::text)
        FROM unnest(c.relacl) AS each WHERE each::text NOT LIKE pg_get_userbyid(c.relowner) || '=%%'
    ), '')
    FROM placed JOIN pg_class AS c ON c.oid = placed.relation
    UNION ALL
    SELECT placed.table_name, placed.shard, 'policies', coalesce((
        SELECT string_agg(concat_ws(' ', p.polname, p.polcmd::text, p.polpermissive::text,
            (SELECT string_agg(coalesce(pg_get_userbyid(nullif(each, 0)), 'PUBLIC'), ',' ORDER BY each) FROM unnest(p.polroles) AS each),
            'USING', pg_get_expr(p.polqual, p.polrelid), 'CHECK', pg_get_expr(p.polwithcheck, p.polrelid)), '; ' ORDER BY p.polname)
        FROM pg_policy AS p WHERE p.polrelid = placed.relation
    ), 'none')
    FROM placed WHERE placed.relation IS NOT NULL
    UNION ALL
    SELECT placed.table_name, placed.shard, 'keys', coalesce((
        SELECT string_agg(key.text || CASE WHEN key.valid THEN '' ELSE ' NOT VALID' END, '; ' ORDER BY key.text COLLATE "C") FROM (
            SELECT regexp_replace(pg_get_constraintdef(k.oid), '_\d{5,}(?=[("])', '', 'g') AS text, k.convalidated AS valid
            FROM pg_constraint AS k WHERE k.conrelid = placed.relation AND k.contype IN ('f', 'p', 'u', 'c')
        ) AS key
    ), 'none')
    FROM placed WHERE placed.relation IS NOT NULL
    UNION ALL
    SELECT placed.table_name, placed.shard, 'triggers', coalesce((
        SELECT string_agg(made.text, '; ' ORDER BY made.text COLLATE "C") FROM (
            SELECT regexp_replace(pg_get_triggerdef(t.oid), '_\d{5,}(?=["]? )', '', 'g')
                || CASE WHEN t.tgenabled = 'O' THEN '' ELSE ' SWITCHED ' || t.tgenabled::text END AS text
            FROM pg_trigger AS t
            WHERE t.tgrelid = placed.relation AND NOT t.tgisinternal AND t.tgname NOT LIKE 'truncate\_trigger\_%%'
        ) AS made
    ), 'none')
    FROM placed WHERE placed.relation IS NOT NULL
), alike AS (
    SELECT table_name, aspect, value, array_agg(shard ORDER BY shard) AS shards FROM aspect GROUP BY table_name, aspect, value
), ours AS (
    SELECT p.oid::regprocedure::text AS function, concat_ws(' ',
        CASE WHEN p.prosecdef THEN 'definer' ELSE 'invoker' END, 'of', pg_get_userbyid(p.proowner), p.provolatile::text,
        array_to_string(p.proconfig, ','), md5(pg_get_functiondef(p.oid)), (
            SELECT string_agg(each::text, ',' ORDER BY each::text) FROM unnest(p.proacl) AS each
        )) AS value
    FROM pg_proc AS p
    -- Of every schema: whoever may call one with its owner's rights reads the shards, wherever it stands.
    WHERE p.oid >= 16384 AND p.prokind IN ('f', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
), role AS (
    SELECT r.rolname::text AS name, concat_ws(' ', CASE WHEN r.rolsuper THEN 'SUPERUSER' END,
        CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END, CASE WHEN r.rolcanlogin THEN 'LOGIN' END,
        CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END, CASE WHEN r.rolreplication THEN 'REPLICATION' END, (
            SELECT 'MEMBER OF ' || string_agg(parent.rolname, ',' ORDER BY parent.rolname)
            FROM pg_auth_members AS m JOIN pg_roles AS parent ON parent.oid = m.roleid WHERE m.member = r.oid
        ), (
            SELECT 'HAS MEMBERS ' || string_agg(child.rolname, ',' ORDER BY child.rolname)
            FROM pg_auth_members AS m JOIN pg_roles AS child ON child.oid = m.member
            -- Logins of `citegraph psql` come and go, and see one space each.
            WHERE m.roleid = r.oid AND NOT (r.rolname = 'citegraph_inspect' AND child.rolname LIKE 'citegraph\_psql\_%%')
        )) AS value
    FROM pg_roles AS r
    WHERE r.rolname = ANY(%(roles)s::text[]) OR (r.rolname LIKE 'citegraph\_psql\_%%' AND coalesce(r.rolvaliduntil > now(), true))
), setting AS (
    SELECT coalesce(pg_get_userbyid(nullif(s.setrole, 0)), 'every role') AS name, unnest(s.setconfig) AS value
    FROM pg_db_role_setting AS s
    WHERE s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
       OR (s.setdatabase = 0 AND pg_get_userbyid(s.setrole) = ANY(%(roles)s::text[]))
)
SELECT jsonb_build_object(
    'shards', coalesce((SELECT jsonb_agg(jsonb_build_array(table_name, aspect, value, shards) ORDER BY table_name, aspect, value) FROM alike), '[]'),
    'functions', coalesce((SELECT jsonb_object_agg(function, value) FROM ours), '{}'),
    'roles', coalesce((SELECT jsonb_object_agg(name, value) FROM role), '{}'),
    'settings', coalesce((SELECT jsonb_agg(jsonb_build_array(name, value) ORDER BY name, value) FROM setting), '[]'),
    'answersEarly', (
        SELECT reset_val = 'off' AND source NOT IN ('global', 'database', 'user', 'database user')
        FROM pg_settings WHERE name = 'synchronous_commit'
    )
)::text

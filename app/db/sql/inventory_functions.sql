-- inventory_functions: our functions with all their properties; of other functions, those that the server or an extension did not create as they are.
WITH made AS (
    -- Written last when the server was made: whatever of its own objects is newer was changed since.
    SELECT max(xmin::text::bigint) AS number FROM information_schema.sql_features
), function AS (
    SELECT p.*, n.nspname, l.lanname, e.extname, e.extowner,
           regexp_replace(p.oid::regprocedure::text, '^public\.', '') AS subject
    FROM pg_catalog.pg_proc AS p
    JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
    JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
    LEFT JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    LEFT JOIN pg_catalog.pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
    WHERE n.nspname !~ '^pg_(toast|temp)'
      AND (p.oid >= 16384 OR p.xmin::text::bigint > (SELECT number FROM made))
), state AS (
    SELECT f.subject, f.oid, concat_ws(', ', f.lanname, 'of ' || pg_get_userbyid(f.proowner),
               CASE WHEN f.proleakproof THEN 'LEAKPROOF' END, CASE WHEN f.prosecdef THEN 'SECURITY DEFINER' END,
               array_to_string(f.proconfig, ', '), 'body ' || md5(concat_ws(' ', f.prosrc, f.probin, f.prosqlbody::text))) AS told
    FROM function AS f
)
SELECT subject, 'definition',
       CASE WHEN prokind IN ('f', 'p') THEN pg_get_functiondef(oid) ELSE 'aggregate' END,
       'fault'
FROM function WHERE nspname = 'public' AND extname IS NULL
UNION ALL
SELECT subject, 'runs as', CASE WHEN prosecdef THEN 'its owner' ELSE 'its caller' END, 'fault'
FROM function WHERE nspname = 'public' AND extname IS NULL
UNION ALL
SELECT subject, 'owner', pg_get_userbyid(proowner)::text, 'fault'
FROM function WHERE nspname = 'public' AND extname IS NULL
UNION ALL
SELECT f.subject, 'as the server made it', 'no longer: ' || s.told, 'fault'
FROM function AS f JOIN state AS s ON s.oid = f.oid
WHERE f.oid < 16384 AND f.extname IS NULL
UNION ALL
SELECT f.subject, 'of extension ' || f.extname, s.told, 'fault'
FROM function AS f JOIN state AS s ON s.oid = f.oid
WHERE f.extname IS NOT NULL AND f.oid >= 16384
  AND (f.prosecdef OR f.proleakproof OR f.proowner <> f.extowner
       -- Citus sets, for many of its own, what they read alone.
       OR (f.proconfig IS NOT NULL AND NOT (f.extname LIKE 'citus%%' AND f.proconfig <@ ARRAY[
           'search_path=pg_catalog', 'search_path=pg_catalog, pg_temp', 'citus.show_shards_for_app_name_prefixes=*'
       ]))
       OR (f.extname = 'vector' AND f.lanname NOT IN ('c', 'internal')))
UNION ALL
SELECT f.subject, 'kind', 'function, ' || s.told,
       CASE WHEN f.nspname IN ('pg_catalog', 'information_schema') THEN 'fault'
            WHEN f.nspname::text = ANY (%(trusted_schemas)s) THEN 'known'
            WHEN f.proowner = ANY (%(reach)s::oid[]) THEN 'fault' ELSE 'stranger' END
FROM function AS f JOIN state AS s ON s.oid = f.oid
WHERE f.oid >= 16384 AND f.nspname <> 'public' AND f.extname IS NULL

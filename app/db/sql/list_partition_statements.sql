-- list_partition_statements: statements, and parts of statements, that make a table like the pattern, in the order in which to run them.
-- LIKE copies columns, defaults, keys and their comments; this is what it leaves out.
WITH pattern AS (SELECT c.* FROM pg_catalog.pg_class AS c WHERE c.oid = %(pattern)s::regclass)
SELECT kind, subject, detail FROM (
    SELECT 1 AS place, 'table' AS kind, '' AS subject, format('OWNER TO %%I', pg_get_userbyid(relowner)) AS detail FROM pattern
    UNION ALL
    SELECT 2, 'table', '', format('SET (%%s)', array_to_string(reloptions, ', ')) FROM pattern WHERE reloptions IS NOT NULL
    UNION ALL
    SELECT 3, 'table', '', format('ALTER COLUMN %%I SET STATISTICS %%s', a.attname, a.attstattarget)
    FROM pattern JOIN pg_catalog.pg_attribute AS a ON a.attrelid = pattern.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE a.attstattarget >= 0
    UNION ALL
    SELECT 4, 'table', '', each || ' ROW LEVEL SECURITY'
    FROM pattern, LATERAL (VALUES (CASE WHEN relrowsecurity THEN 'ENABLE' END), (CASE WHEN relforcerowsecurity THEN 'FORCE' END)) AS v (each)
    WHERE each IS NOT NULL
    UNION ALL
    SELECT 5, 'policy', '', format('CREATE POLICY %%I ON public.%%I AS %%s FOR %%s TO %%s', p.polname, pattern.relname,
        CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE p.polcmd WHEN '*' THEN 'ALL' WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' ELSE 'DELETE' END,
        (SELECT string_agg(CASE each WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(each)) END, ', ') FROM unnest(p.polroles) AS each))
        || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
        || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
    FROM pattern JOIN pg_catalog.pg_policy AS p ON p.polrelid = pattern.oid
    UNION ALL
    SELECT 6, 'trigger', '', pg_get_triggerdef(t.oid)
    FROM pattern JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = pattern.oid WHERE NOT t.tgisinternal
    UNION ALL
    SELECT 7, 'grant', pg_get_userbyid(g.grantee)::text, g.privilege_type
    FROM pattern, LATERAL aclexplode(pattern.relacl) AS g WHERE g.grantee NOT IN (0, pattern.relowner)
    UNION ALL
    SELECT 8, 'comment', '', format('COMMENT ON TABLE public.%%I IS %%L', pattern.relname, obj_description(pattern.oid, 'pg_class')) FROM pattern
) AS each ORDER BY place

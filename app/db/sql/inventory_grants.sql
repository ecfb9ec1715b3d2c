-- inventory_grants: every privilege that differs from the default of Postgres or an extension, one row for each grantee.
WITH object AS (
    SELECT 'pg_class'::regclass::oid AS classid, c.oid, 0 AS sub, c.relacl AS acl, c.relowner AS owner,
           CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END AS kind,
           regexp_replace(c.oid::regclass::text, '^public\.', '') AS subject, n.nspname, '' AS part
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^pg_(toast|temp)'
    UNION ALL
    SELECT 'pg_class'::regclass, c.oid, a.attnum, a.attacl, c.relowner, 'c',
           regexp_replace(c.oid::regclass::text, '^public\.', ''), n.nspname, ' (' || a.attname || ')'
    FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE a.attacl IS NOT NULL AND n.nspname !~ '^pg_(toast|temp)'
    UNION ALL
    SELECT 'pg_proc'::regclass, p.oid, 0, p.proacl, p.proowner, 'f',
           regexp_replace(p.oid::regprocedure::text, '^public\.', ''), n.nspname, ''
    FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
    WHERE p.proacl IS NOT NULL
       OR EXISTS (SELECT 1 FROM pg_catalog.pg_init_privs AS i
                  WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid)
    UNION ALL
    SELECT 'pg_namespace'::regclass, oid, 0, nspacl, nspowner, 'n', 'schema ' || nspname, nspname, ''
    FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_(toast|temp)'
    UNION ALL
    SELECT 'pg_type'::regclass, t.oid, 0, t.typacl, t.typowner, 'T', 'type ' || t.oid::regtype, n.nspname, ''
    FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
    WHERE t.typacl IS NOT NULL
    UNION ALL
    SELECT 'pg_language'::regclass, oid, 0, lanacl, lanowner, 'l', 'language ' || lanname, 'pg_catalog', ''
    FROM pg_catalog.pg_language
    UNION ALL
    SELECT 'pg_foreign_data_wrapper'::regclass, oid, 0, fdwacl, fdwowner, 'F', 'foreign-data wrapper ' || fdwname, 'pg_catalog', ''
    FROM pg_catalog.pg_foreign_data_wrapper
    UNION ALL
    SELECT 'pg_foreign_server'::regclass, oid, 0, srvacl, srvowner, 'S', 'server ' || srvname, 'pg_catalog', ''
    FROM pg_catalog.pg_foreign_server
    UNION ALL
    SELECT 'pg_database'::regclass, oid, 0, datacl, datdba, 'd', 'database', 'pg_catalog', ''
    FROM pg_catalog.pg_database WHERE datname = current_database()
    UNION ALL
    SELECT 'pg_tablespace'::regclass, oid, 0, spcacl, spcowner, 't', 'tablespace ' || spcname, 'pg_catalog', ''
    FROM pg_catalog.pg_tablespace
    UNION ALL
    -- There is no default for a parameter: only a superuser may set it.
    SELECT 'pg_parameter_acl'::regclass, oid, 0, paracl, 10, 'p', 'parameter ' || parname, 'pg_catalog', ''
    FROM pg_catalog.pg_parameter_acl
), told AS (
    SELECT o.*,
           coalesce(o.acl, CASE WHEN o.kind <> 'p' THEN acldefault(o.kind::"char", o.owner) END) AS now,
           coalesce(i.initprivs, CASE WHEN o.kind <> 'p' THEN acldefault(o.kind::"char", o.owner) END) AS usual
    FROM object AS o
    LEFT JOIN pg_catalog.pg_init_privs AS i ON i.classoid = o.classid AND i.objoid = o.oid AND i.objsubid = o.sub
    WHERE o.acl IS DISTINCT FROM i.initprivs
), difference AS (
    SELECT t.subject, t.part, t.nspname, t.owner, t.kind, e.grantee, e.privilege_type, e.is_grantable, true AS given
    FROM told AS t CROSS JOIN LATERAL aclexplode(t.now) AS e
    WHERE NOT EXISTS (SELECT 1 FROM aclexplode(t.usual) AS u
                      WHERE u.grantee = e.grantee AND u.privilege_type = e.privilege_type AND u.is_grantable = e.is_grantable)
    UNION ALL
    SELECT t.subject, t.part, t.nspname, t.owner, t.kind, e.grantee, e.privilege_type, e.is_grantable, false
    FROM told AS t CROSS JOIN LATERAL aclexplode(t.usual) AS e
    WHERE NOT EXISTS (SELECT 1 FROM aclexplode(t.now) AS u
                      WHERE u.grantee = e.grantee AND u.privilege_type = e.privilege_type AND u.is_grantable = e.is_grantable)
)
SELECT subject,
       CASE WHEN given THEN 'granted to ' ELSE 'taken from ' END
           || CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(grantee)::text END,
       string_agg(privilege_type || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END || part, ', '
                  ORDER BY privilege_type, part),
       CASE WHEN given OR nspname = 'public' THEN 'fault' ELSE 'hardening' END
FROM difference
-- Who may connect is the operator's business: nothing is read by it. Postgres 17 added MAINTAIN to an owner's rights.
WHERE NOT (kind = 'd' AND privilege_type = 'CONNECT') AND NOT (grantee = owner AND privilege_type = 'MAINTAIN')
  -- The server opens this schema to everybody after it has noted what rights objects begin with.
  AND NOT (nspname = 'information_schema' AND grantee = 0 AND privilege_type IN ('SELECT', 'USAGE') AND given)
  -- Of another application's objects only those matter that our roles may use.
  AND (nspname IN ('public', 'pg_catalog', 'information_schema')
       OR grantee IN (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname::text = ANY (%(ours)s)))
GROUP BY subject, grantee, given, nspname

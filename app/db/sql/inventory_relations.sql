-- inventory_relations: tables and views of our schema with all their parts; those of other schemas by name.
WITH home AS (
    SELECT c.relname::text AS subject, c.*
    FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')
      AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
), used AS (
    -- What stands on our tables or functions from elsewhere: views, foreign keys, children, columns of our row types.
    SELECT coalesce(w.ev_class, k.conrelid, g.tgrelid, f.adrelid, CASE WHEN d.classid = 'pg_class'::regclass THEN d.objid END) AS oid
    FROM pg_catalog.pg_depend AS d
    LEFT JOIN pg_catalog.pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
    LEFT JOIN pg_catalog.pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    LEFT JOIN pg_catalog.pg_trigger AS g ON d.classid = 'pg_trigger'::regclass AND g.oid = d.objid
    LEFT JOIN pg_catalog.pg_attrdef AS f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
    WHERE (d.refclassid = 'pg_class'::regclass AND d.refobjid IN (SELECT oid FROM home))
       OR (d.refclassid = 'pg_type'::regclass AND d.refobjid IN (SELECT reltype FROM home))
       OR (d.refclassid = 'pg_proc'::regclass AND d.refobjid IN (
              SELECT p.oid FROM pg_catalog.pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
              AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS e
                              WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')))
), named (letter, kind) AS (
    VALUES ('r', 'table'), ('p', 'partitioned table'), ('v', 'view'), ('m', 'materialised view'),
           ('f', 'foreign table'), ('S', 'sequence'), ('c', 'composite type')
)
SELECT subject, 'kind',
       CASE relpersistence WHEN 'u' THEN 'unlogged ' WHEN 't' THEN 'temporary ' ELSE '' END || named.kind
       || CASE WHEN reloftype <> 0 THEN ' of a type' ELSE '' END
       || CASE WHEN relispartition THEN ', a partition' ELSE '' END
       || CASE WHEN (NOT relhastriggers AND EXISTS (SELECT 1 FROM pg_catalog.pg_trigger AS g WHERE g.tgrelid = home.oid))
                 OR (NOT relhasrules AND EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class = home.oid))
               THEN ', whose triggers or rules are passed over' ELSE '' END
       || CASE WHEN relreplident NOT IN ('d', 'n') THEN ', replica identity ' || relreplident::text ELSE '' END,
       'fault'
FROM home JOIN named ON named.letter = relkind::text
UNION ALL
SELECT subject, 'bound', pg_get_expr(relpartbound, oid), 'fault' FROM home WHERE relispartition
UNION ALL
SELECT subject, 'owner', pg_get_userbyid(relowner)::text, 'fault' FROM home
UNION ALL
SELECT subject, 'row security',
       CASE WHEN relrowsecurity THEN 'enabled' ELSE 'off' END || CASE WHEN relforcerowsecurity THEN ', forced' ELSE '' END,
       'fault'
FROM home WHERE relkind IN ('r', 'p', 'f')
UNION ALL
SELECT subject, 'option ' || split_part(each, '=', 1), split_part(each, '=', 2),
       CASE WHEN each ~ '^(autovacuum|fillfactor|toast|log_|parallel_workers|vacuum_)' THEN 'tuning' ELSE 'fault' END
FROM home, unnest(reloptions) AS each
UNION ALL
SELECT subject, 'definition', pg_get_viewdef(oid), 'fault' FROM home WHERE relkind IN ('v', 'm')
UNION ALL
SELECT subject, 'column ' || a.attname,
       concat_ws(' ', format_type(a.atttypid, a.atttypmod),
           CASE WHEN a.attnotnull THEN 'not null' END,
           CASE a.attgenerated WHEN '' THEN 'default' WHEN 's' THEN 'generated stored' ELSE 'generated' END
               || ' ' || pg_get_expr(d.adbin, d.adrelid),
           'identity ' || nullif(a.attidentity::text, ''),
           CASE WHEN a.attcollation NOT IN (0, t.typcollation) THEN 'collate ' || a.attcollation::regcollation::text END,
           'statistics ' || nullif(a.attstattarget, -1)::text,
           CASE WHEN a.attstorage <> t.typstorage THEN 'storage ' || a.attstorage::text END,
           'options ' || a.attoptions::text),
       'fault'
FROM home
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = home.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
-- Not null is told with its column; Postgres 18 has a constraint for each, which says more only where it is not valid.
SELECT subject, 'constraint ' || k.conname,
       pg_get_constraintdef(k.oid)
       || CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger AS g WHERE g.tgconstraint = k.oid AND g.tgenabled <> 'O')
               THEN ', switched off' ELSE '' END,
       'fault'
FROM home JOIN pg_catalog.pg_constraint AS k ON k.conrelid = home.oid
WHERE k.contype <> 'n' OR NOT k.convalidated
UNION ALL
-- A foreign key that Postgres checks on the other side: its triggers stand on the table that it refers to.
SELECT subject, 'checks of ' || k.conname, 'switched off', 'fault'
FROM home JOIN pg_catalog.pg_constraint AS k ON k.confrelid = home.oid
WHERE EXISTS (SELECT 1 FROM pg_catalog.pg_trigger AS g
              WHERE g.tgconstraint = k.oid AND g.tgrelid = home.oid AND g.tgenabled <> 'O')
UNION ALL
SELECT subject, 'index ' || c.relname,
       pg_get_indexdef(i.indexrelid)
       || CASE WHEN i.indisvalid AND i.indisready AND i.indislive THEN '' ELSE ', not valid' END
       || CASE WHEN i.indisreplident THEN ', replica identity' ELSE '' END
       || CASE WHEN i.indimmediate THEN '' ELSE ', deferred' END,
       'fault'
FROM home JOIN pg_catalog.pg_index AS i ON i.indrelid = home.oid JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
UNION ALL
SELECT subject, 'policy ' || p.polname,
       concat_ws(' ', CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END, 'for', p.polcmd::text,
           'to', (SELECT string_agg(CASE each WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(each)::text END, ', ' ORDER BY each)
                  FROM unnest(p.polroles) AS each),
           'using', coalesce(pg_get_expr(p.polqual, p.polrelid), 'nothing'),
           'with check', coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'nothing')),
       'fault'
FROM home JOIN pg_catalog.pg_policy AS p ON p.polrelid = home.oid
UNION ALL
SELECT subject, 'trigger ' || g.tgname,
       pg_get_triggerdef(g.oid) || CASE WHEN g.tgenabled = 'O' THEN '' ELSE ', enabled ' || g.tgenabled::text END, 'fault'
FROM home JOIN pg_catalog.pg_trigger AS g ON g.tgrelid = home.oid WHERE NOT g.tgisinternal
UNION ALL
SELECT subject, 'rule ' || w.rulename,
       pg_get_ruledef(w.oid) || CASE WHEN w.ev_enabled = 'O' THEN '' ELSE ', enabled ' || w.ev_enabled::text END, 'fault'
FROM home JOIN pg_catalog.pg_rewrite AS w ON w.ev_class = home.oid
WHERE NOT (w.rulename = '_RETURN' AND home.relkind IN ('v', 'm') AND w.ev_enabled = 'O')
UNION ALL
SELECT subject, 'child ' || i.inhrelid::regclass::text, 'inherits', 'fault'
FROM home JOIN pg_catalog.pg_inherits AS i ON i.inhparent = home.oid
UNION ALL
SELECT subject, 'parent ' || i.inhparent::regclass::text, 'inherits', 'fault'
FROM home JOIN pg_catalog.pg_inherits AS i ON i.inhrelid = home.oid
UNION ALL
SELECT c.oid::regclass::text, 'kind', named.kind || ' of ' || pg_get_userbyid(c.relowner)
           || CASE WHEN touching THEN ', which uses our tables or functions' ELSE '' END,
       CASE WHEN touching OR named_by_all OR n.nspname = 'pg_catalog' THEN 'fault'
            WHEN n.nspname::text = ANY (%(trusted_schemas)s) THEN 'known'
            WHEN c.relowner = ANY (%(reach)s::oid[]) THEN 'fault' ELSE 'stranger' END
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN named ON named.letter = c.relkind::text
CROSS JOIN LATERAL (SELECT c.oid IN (SELECT oid FROM used WHERE oid IS NOT NULL) AS touching,
    EXISTS (SELECT 1 FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.oid AND NOT a.attisdropped
            AND a.attname IN ('knowledge_space_id', 'evidence_chunk_id')) AS named_by_all) AS told
WHERE c.oid >= 16384 AND n.nspname <> 'public' AND n.nspname !~ '^pg_(toast|temp)'
  -- Of a composite type it is the type that an extension has.
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS d
                  WHERE (d.classid, d.objid) IN (('pg_class'::regclass, c.oid), ('pg_type'::regclass, c.reltype)) AND d.deptype = 'e')
UNION ALL
-- Neither extension has relations: one that was added to it would be taken for the extension's own.
SELECT regexp_replace(c.oid::regclass::text, '^public\.', ''), 'kind', named.kind || ', added to extension ' || e.extname, 'fault'
FROM pg_catalog.pg_depend AS d
JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid AND e.extname IN ('vector', 'plpgsql')
JOIN pg_catalog.pg_class AS c ON c.oid = d.objid
JOIN named ON named.letter = c.relkind::text
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'

-- inventory_objects: all objects besides relations, functions and roles: schemas, extensions, types, event triggers, publications.
WITH made AS (
    -- As in inventory_functions.
    SELECT max(xmin::text::bigint) AS number FROM information_schema.sql_features
), object (classid, oid) AS (
    SELECT 'pg_event_trigger'::regclass::oid, oid FROM pg_catalog.pg_event_trigger
    UNION ALL SELECT 'pg_publication'::regclass, oid FROM pg_catalog.pg_publication
    UNION ALL SELECT 'pg_publication_rel'::regclass, oid FROM pg_catalog.pg_publication_rel
    UNION ALL SELECT 'pg_publication_namespace'::regclass, oid FROM pg_catalog.pg_publication_namespace
    UNION ALL SELECT 'pg_subscription'::regclass, oid FROM pg_catalog.pg_subscription
        WHERE subdbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
    UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, oid FROM pg_catalog.pg_foreign_data_wrapper
    UNION ALL SELECT 'pg_foreign_server'::regclass, oid FROM pg_catalog.pg_foreign_server
    UNION ALL SELECT 'pg_user_mapping'::regclass, umid FROM pg_catalog.pg_user_mappings
    UNION ALL SELECT 'pg_cast'::regclass, oid FROM pg_catalog.pg_cast
    UNION ALL SELECT 'pg_operator'::regclass, oid FROM pg_catalog.pg_operator
    UNION ALL SELECT 'pg_opclass'::regclass, oid FROM pg_catalog.pg_opclass
    UNION ALL SELECT 'pg_opfamily'::regclass, oid FROM pg_catalog.pg_opfamily
    UNION ALL SELECT 'pg_am'::regclass, oid FROM pg_catalog.pg_am
    UNION ALL SELECT 'pg_ts_config'::regclass, oid FROM pg_catalog.pg_ts_config
    UNION ALL SELECT 'pg_ts_dict'::regclass, oid FROM pg_catalog.pg_ts_dict
    UNION ALL SELECT 'pg_ts_parser'::regclass, oid FROM pg_catalog.pg_ts_parser
    UNION ALL SELECT 'pg_ts_template'::regclass, oid FROM pg_catalog.pg_ts_template
    -- Those of the system's own schema come and go with the locales of the machine.
    UNION ALL SELECT 'pg_collation'::regclass, oid FROM pg_catalog.pg_collation WHERE collnamespace <> 'pg_catalog'::regnamespace
    UNION ALL SELECT 'pg_conversion'::regclass, oid FROM pg_catalog.pg_conversion
    UNION ALL SELECT 'pg_language'::regclass, oid FROM pg_catalog.pg_language
    UNION ALL SELECT 'pg_transform'::regclass, oid FROM pg_catalog.pg_transform
    UNION ALL SELECT 'pg_statistic_ext'::regclass, oid FROM pg_catalog.pg_statistic_ext
    UNION ALL SELECT 'pg_default_acl'::regclass, oid FROM pg_catalog.pg_default_acl
    UNION ALL SELECT 'pg_type'::regclass, t.oid FROM pg_catalog.pg_type AS t
        JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
        WHERE t.typrelid = 0 AND n.nspname !~ '^pg_(toast|temp)'
          AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_type AS element WHERE element.typarray = t.oid)
), added AS (
    SELECT o.classid, o.oid, i.type, i.schema, i.identity,
           (SELECT s.refobjid FROM pg_catalog.pg_shdepend AS s
            WHERE s.classid = o.classid AND s.objid = o.oid AND s.deptype = 'o' AND s.dbid IN (
                0, (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = current_database()))) AS owner
    FROM object AS o CROSS JOIN LATERAL pg_identify_object(o.classid, o.oid, 0) AS i
    WHERE o.oid >= 16384
      AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS d
                      WHERE d.classid = o.classid AND d.objid = o.oid AND d.deptype = 'e')
)
SELECT a.type || ' ' || a.identity, 'kind',
       concat_ws(' ', a.type, 'of ' || pg_get_userbyid(a.owner),
           (SELECT 'calls ' || e.evtfoid::regproc || ' on ' || e.evtevent || CASE e.evtenabled WHEN 'O' THEN '' ELSE ', enabled ' || e.evtenabled::text END
            FROM pg_catalog.pg_event_trigger AS e WHERE a.classid = 'pg_event_trigger'::regclass AND e.oid = a.oid),
           (SELECT p.defaclacl::text FROM pg_catalog.pg_default_acl AS p
            WHERE a.classid = 'pg_default_acl'::regclass AND p.oid = a.oid)),
       CASE WHEN a.schema IS NULL OR a.schema IN ('public', 'pg_catalog') THEN 'fault'
            WHEN a.schema = ANY (%(trusted_schemas)s) THEN 'known'
            WHEN a.owner IS NULL OR a.owner = ANY (%(reach)s::oid[]) THEN 'fault' ELSE 'stranger' END
FROM added AS a
UNION ALL
SELECT i.type || ' ' || i.identity, 'as the server made it', 'no longer: changed since', 'fault'
FROM (
    SELECT 'pg_operator'::regclass AS classid, oid, xmin FROM pg_catalog.pg_operator
    UNION ALL SELECT 'pg_cast'::regclass, oid, xmin FROM pg_catalog.pg_cast
    UNION ALL SELECT 'pg_type'::regclass, oid, xmin FROM pg_catalog.pg_type
    UNION ALL SELECT 'pg_rewrite'::regclass, oid, xmin FROM pg_catalog.pg_rewrite
    UNION ALL SELECT 'pg_opclass'::regclass, oid, xmin FROM pg_catalog.pg_opclass
    UNION ALL SELECT 'pg_ts_config'::regclass, oid, xmin FROM pg_catalog.pg_ts_config
    UNION ALL SELECT 'pg_ts_config'::regclass, mapcfg, xmin FROM pg_catalog.pg_ts_config_map
    UNION ALL SELECT 'pg_ts_dict'::regclass, oid, xmin FROM pg_catalog.pg_ts_dict
) AS o
CROSS JOIN made CROSS JOIN LATERAL pg_identify_object(o.classid, o.oid, 0) AS i
WHERE o.oid < 16384 AND o.xmin::text::bigint > made.number
GROUP BY 1
UNION ALL
SELECT 'large objects', 'of ' || pg_get_userbyid(lomowner), count(*) || ' of them', 'fault'
FROM pg_catalog.pg_largeobject_metadata GROUP BY lomowner
UNION ALL
SELECT 'extension ' || e.extname, 'schema', n.nspname::text, 'extension'
FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
UNION ALL
SELECT 'schema ' || n.nspname, 'owner', pg_get_userbyid(n.nspowner)::text,
       CASE WHEN n.nspname = 'public' OR n.nspname ~ '^pg_' THEN 'fault'
            WHEN n.nspname::text = ANY (%(trusted_schemas)s) THEN 'known'
            WHEN n.nspowner = ANY (%(reach)s::oid[]) THEN 'fault' ELSE 'stranger' END
FROM pg_catalog.pg_namespace AS n
WHERE (n.oid >= 16384 OR n.nspname = 'public') AND n.nspname !~ '^pg_(toast|temp)'
  AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS d
                  WHERE d.classid = 'pg_namespace'::regclass AND d.objid = n.oid AND d.deptype = 'e')
UNION ALL
SELECT 'replication slot ' || slot_name, 'kind', 'sends every change of this database to ' || plugin, 'fault'
FROM pg_catalog.pg_replication_slots WHERE database = current_database()
UNION ALL
SELECT 'security label', l.provider || ' on ' || pg_describe_object(l.classoid, l.objoid, l.objsubid), l.label, 'fault'
FROM pg_catalog.pg_seclabel AS l
UNION ALL
-- Whose owner may grant and set what it likes; whoever else owns it is known as a login.
SELECT 'database', 'owner', pg_get_userbyid(datdba)::text, 'fault' FROM pg_catalog.pg_database
WHERE datname = current_database() AND pg_get_userbyid(datdba)::text = ANY (%(ours)s)
UNION ALL
-- By it words become what chunks are found by; a mapping that is dropped leaves no newer row.
SELECT 'text search configuration english', 'mapping', string_agg(
           m.maptokentype || ' ' || m.mapseqno || ' ' || m.mapdict::regdictionary::text, ', ' ORDER BY m.maptokentype, m.mapseqno), 'fault'
FROM pg_catalog.pg_ts_config_map AS m WHERE m.mapcfg = 'pg_catalog.english'::regconfig

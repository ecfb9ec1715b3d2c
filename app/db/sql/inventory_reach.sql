-- inventory_reach: the roles that can read or change our rows, by attribute or by membership at any depth.
WITH RECURSIVE reach AS (
    SELECT oid FROM pg_catalog.pg_roles
    WHERE rolsuper OR rolbypassrls OR rolreplication OR rolname::text = ANY (%(ours)s) OR rolname::text = ANY (%(dangerous)s)
    UNION
    SELECT relowner FROM pg_catalog.pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    UNION
    SELECT m.member FROM pg_catalog.pg_auth_members AS m JOIN reach ON reach.oid = m.roleid
)
SELECT coalesce(array_agg(oid ORDER BY oid), '{}') FROM reach

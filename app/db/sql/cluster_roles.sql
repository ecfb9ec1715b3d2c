-- cluster_roles: of each of our roles whether it may log in, and whether a SET LOCAL of its sessions reaches the workers.
SELECT role.rolname::text, role.rolcanlogin,
    coalesce('citus.propagate_set_commands=local' = ANY(setting.setconfig), false)
FROM pg_roles AS role
LEFT JOIN pg_db_role_setting AS setting ON setting.setrole = role.oid AND setting.setdatabase = 0
WHERE role.rolname = ANY(%(roles)s::text[])
ORDER BY role.rolname

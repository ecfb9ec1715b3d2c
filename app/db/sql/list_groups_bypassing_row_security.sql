-- list_groups_bypassing_row_security: on a cluster, the groups of the nodes on which the application's role may bypass row security. Run on the coordinator.
SELECT node.groupid
FROM run_command_on_all_nodes(
    $$SELECT coalesce(bool_or(rolsuper OR rolbypassrls), false) FROM pg_roles WHERE rolname = 'citegraph_app'$$,
    give_warning_for_connection_errors := true
) AS answer
JOIN pg_dist_node AS node ON node.nodeid = answer.nodeid
WHERE answer.success AND answer.result <> 'f'

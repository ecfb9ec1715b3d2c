-- list_unreachable_nodes: on a cluster, the groups of the nodes that cannot be reached. Run on the coordinator.
SELECT node.groupid
FROM run_command_on_all_nodes('SELECT 1', give_warning_for_connection_errors := true) AS answer
JOIN pg_dist_node AS node ON node.nodeid = answer.nodeid
WHERE NOT answer.success

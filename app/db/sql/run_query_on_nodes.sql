-- run_query_on_nodes: run this query on each active node of a cluster; whether it succeeded, and its result. Run on the coordinator.
SELECT nodeid, success, result FROM run_command_on_all_nodes(%(query)s, give_warning_for_connection_errors => true)

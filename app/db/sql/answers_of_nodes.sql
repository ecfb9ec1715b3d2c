-- answers_of_nodes: whether each active node of a cluster answers to this query, and what. Run on the coordinator.
SELECT nodeid, success, result FROM run_command_on_all_nodes(%(query)s, give_warning_for_connection_errors => true)

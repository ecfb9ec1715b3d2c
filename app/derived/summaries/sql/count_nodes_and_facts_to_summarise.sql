-- count_nodes_and_facts_to_summarise: how many nodes facts speak of, counted up to so many, and how many of these facts a summary could tell.
SELECT count(*), coalesce(sum(least(told.facts, %(told)s)), 0)::bigint FROM (
    SELECT out_degree + in_degree AS facts FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND out_degree + in_degree > 0
    LIMIT %(most)s
) AS told

-- find_stored_pairs: the pairs of likely spellings that are kept of the space, for which graph, and how old they are.
SELECT kept.graph_revision, kept.seconds, extract(epoch FROM now() - kept.created_at)::float8 AS age, kept.first_nodes,
    kept.second_nodes
FROM kept_pairs AS kept WHERE kept.knowledge_space_id = %(space_id)s

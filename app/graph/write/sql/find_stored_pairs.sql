-- find_stored_pairs: the stored pairs of likely spellings of the space, their graph revision and age.
SELECT kept.graph_revision, kept.seconds, extract(epoch FROM now() - kept.created_at)::float8 AS age, kept.first_nodes,
    kept.second_nodes
FROM kept_pairs AS kept WHERE kept.knowledge_space_id = %(space_id)s

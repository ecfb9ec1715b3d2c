-- find_pairs: the pairs of likely spellings that are kept of the space, for which graph, and how old they are.
SELECT graph_revision, seconds, extract(epoch FROM now() - created_at)::float8, first_nodes, second_nodes
FROM kept_pairs WHERE knowledge_space_id = %(space_id)s

-- list_skips: the newest of the skips that are kept for review, each with the summary that stayed.
SELECT skip.node_id, node.canonical_name, node.node_type, skip.at, skip.reason, skip.drift, skip.new_facts, summary.text
FROM summary_skip AS skip
JOIN node_summary AS summary ON summary.knowledge_space_id = %(space_id)s AND summary.node_id = skip.node_id
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = skip.node_id
WHERE skip.knowledge_space_id = %(space_id)s
ORDER BY skip.id DESC LIMIT %(limit)s

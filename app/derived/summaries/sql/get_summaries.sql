-- get_summaries: the summaries of these nodes, with the gate's last decision.
SELECT summary.node_id, node.canonical_name, node.node_type, summary.text, summary.citations, summary.written_by,
    summary.summarised_at, summary.looked_at, summary.last_reason, summary.pending, summary.due_at, summary.refreshed,
    summary.skipped, node.mention_count
FROM node_summary AS summary
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = summary.node_id
WHERE summary.knowledge_space_id = %(space_id)s AND summary.node_id = ANY(%(nodes)s::uuid[])

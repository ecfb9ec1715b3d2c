-- list_summaries: a page of summaries, of the most mentioned nodes first.
SELECT node.id, node.canonical_name, node.node_type, summary.text, summary.citations, summary.written_by,
    summary.summarised_at, summary.looked_at, summary.last_reason, summary.pending, summary.due_at, summary.refreshed,
    summary.skipped, node.mention_count
FROM graph_node AS node
JOIN node_summary AS summary ON summary.knowledge_space_id = %(space_id)s AND summary.node_id = node.id
WHERE node.knowledge_space_id = %(space_id)s
  AND (%(after_count)s::int IS NULL
       OR (node.mention_count <= %(after_count)s::int
           AND (node.mention_count < %(after_count)s::int OR node.id > %(after_node)s::uuid)))
ORDER BY node.mention_count DESC, node.id
LIMIT %(limit)s

-- find_summaries_of_named_anchors: the pairs of these chunks and nodes in which the chunk mentions the node, with the node's summary.
SELECT mention.chunk_id, mention.node_id, summary.text
FROM node_mention AS mention
LEFT JOIN node_summary AS summary
    ON summary.knowledge_space_id = %(space_id)s AND summary.node_id = mention.node_id
WHERE mention.knowledge_space_id = %(space_id)s AND mention.chunk_id = ANY(%(chunks)s::uuid[])
  AND mention.node_id = ANY(%(nodes)s::uuid[])

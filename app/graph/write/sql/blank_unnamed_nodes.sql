-- blank_unnamed_nodes: erase all words of the space's nodes without mentions, which stay for their edges; return them with their former names.
-- Names given by an existing document are kept for it, because its text may return. Recounting does not change the
-- metadata.
UPDATE graph_node SET canonical_name = 'forgotten ' || id, updated_at = now(),
    metadata = '{"aliases": [], "nameVotes": {}, "typeVotes": {}}'
WHERE knowledge_space_id = %(space_id)s AND mention_count = 0 AND source = 'extraction'
  AND NOT (
      -- include is_forgotten
  )
  AND NOT EXISTS (
      SELECT 1 FROM (
          SELECT edge.id FROM graph_edge edge
          WHERE edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = graph_node.id
          UNION ALL
          SELECT edge.id FROM graph_edge edge
          WHERE edge.knowledge_space_id = %(space_id)s AND edge.to_node_id = graph_node.id
      ) AS touching
      JOIN edge_invalidation ending ON ending.knowledge_space_id = %(space_id)s AND ending.edge_id = touching.id
          AND ending.kind = 'replaced' AND ending.undone_at IS NULL
      JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = ending.document_id
  )
RETURNING id,
    -- include names_of_gone

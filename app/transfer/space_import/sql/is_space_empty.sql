-- is_space_empty: whether the space has no document, chunk, node or edge.
SELECT NOT EXISTS (SELECT 1 FROM document WHERE knowledge_space_id = %(space_id)s)
   AND NOT EXISTS (SELECT 1 FROM graph_node WHERE knowledge_space_id = %(space_id)s)
   AND NOT EXISTS (SELECT 1 FROM edge_invalidation WHERE knowledge_space_id = %(space_id)s)

-- source_passes: the source node of an edge has one of the given types.
AND (%(node_types)s::text[] IS NULL OR EXISTS (
    SELECT FROM graph_node AS reached
    WHERE reached.knowledge_space_id = %(space_id)s AND reached.id = graph_edge.from_node_id
      AND reached.node_type = ANY(%(node_types)s::text[])))

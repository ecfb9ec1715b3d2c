-- target_passes: the type that the node which an edge leads to must have, where types are asked for.
AND (%(node_types)s::text[] IS NULL OR EXISTS (
    SELECT FROM graph_node AS reached
    WHERE reached.knowledge_space_id = %(space_id)s AND reached.id = graph_edge.to_node_id
      AND reached.node_type = ANY(%(node_types)s::text[])))

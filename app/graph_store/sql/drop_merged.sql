-- drop_merged: remove nodes that were merged into others, and the edges that now begin where they end.
WITH loops AS (
    DELETE FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND from_node_id = ANY(%(winners)s::uuid[]) AND from_node_id = to_node_id
      AND relation_type <> 'exists'
)
DELETE FROM graph_node WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(losers)s::uuid[])

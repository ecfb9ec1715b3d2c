-- link_splits_to_nodes: link these splits to the nodes that are their parts again.
UPDATE node_split SET new_node_id = led.node_id
FROM unnest(%(splits)s::uuid[], %(nodes)s::uuid[]) AS led(split_id, node_id)
WHERE node_split.knowledge_space_id = %(space_id)s AND node_split.id = led.split_id

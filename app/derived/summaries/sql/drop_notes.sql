-- drop_notes: delete the notes on nodes that were evaluated; later changes have other notes, which stay.
DELETE FROM changed_node
USING unnest(%(ids)s::uuid[], %(changes)s::uuid[]) AS t(node_id, change)
WHERE changed_node.knowledge_space_id = %(space_id)s AND changed_node.node_id = t.node_id AND changed_node.change = t.change

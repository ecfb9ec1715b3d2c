-- lock_graph_unchanged: until the transaction ends nobody else writes the graph of the space; it changes nothing of it.
-- Returns how often something was deleted from it, and the graph's revision.
SELECT erasures, graph_revision FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s FOR NO KEY UPDATE

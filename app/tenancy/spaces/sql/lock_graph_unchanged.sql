-- lock_graph_unchanged: lock the graph of the space against writes until the transaction ends, without changing it.
-- Returns how often something was deleted from it, and the graph's revision.
SELECT erasures, graph_revision FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s FOR NO KEY UPDATE

-- read_graph_revision_and_time: the graph's revision and the time of this snapshot.
SELECT graph_revision, now() FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

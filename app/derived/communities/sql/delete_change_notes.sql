-- delete_change_notes: forget what was noted before a run read the graph, and no note that it did not see.
DELETE FROM edge_change WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

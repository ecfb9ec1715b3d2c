-- delete_change_notes: delete the notes that a run saw when it read the graph, and no later ones.
DELETE FROM edge_change WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

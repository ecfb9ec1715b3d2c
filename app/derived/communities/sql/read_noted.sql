-- read_noted: the ids of the noted changes of edges, as a block.
SELECT string_agg(uuid_send(id), NULL) FROM edge_change WHERE knowledge_space_id = %(space_id)s

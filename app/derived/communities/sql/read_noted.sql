-- read_noted: which changes of edges were noted, as a block of ids.
SELECT string_agg(uuid_send(id), NULL) FROM edge_change WHERE knowledge_space_id = %(space_id)s

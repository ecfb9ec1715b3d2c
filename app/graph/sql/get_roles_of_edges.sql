-- get_roles_of_edges: the role of each edge's source in its target, for edges where a model extracted one.
SELECT id, metadata ->> 'role' FROM graph_edge
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges)s::uuid[]) AND metadata ->> 'role' IS NOT NULL

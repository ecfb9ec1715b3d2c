-- roles_of_edges: what a model says that the sources of these edges are of their targets, where it was asked.
SELECT id, metadata ->> 'role' FROM graph_edge
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(edges)s::uuid[]) AND metadata ->> 'role' IS NOT NULL

-- delete_memberships_of_nodes: delete the memberships of nodes that are in no community now.
DELETE FROM community_member WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

-- remove_members: nodes that are in no community any more.
DELETE FROM community_member WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

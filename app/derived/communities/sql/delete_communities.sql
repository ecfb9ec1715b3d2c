-- delete_communities: delete communities that no longer exist; their members are in others by now.
DELETE FROM community WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

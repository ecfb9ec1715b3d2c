-- delete_communities: communities that are gone; their members stand elsewhere by now.
DELETE FROM community WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

-- set_temporary_addresses: give documents temporary unique addresses, so that they can exchange their former ones.
UPDATE document SET source_uri = 'moving:' || id
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

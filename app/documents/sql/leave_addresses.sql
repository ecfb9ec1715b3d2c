-- leave_addresses: give documents addresses that nothing else has, so that they may trade those that they leave.
UPDATE document SET source_uri = 'moving:' || id
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

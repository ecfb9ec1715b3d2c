-- read_communities: all communities of the space with the columns that lineage needs, parents first, as a block of bytes.
SELECT string_agg(uuid_send(id) || int2send(level)
    || coalesce(uuid_send(parent_id), '\x00000000000000000000000000000000'::bytea), ''::bytea ORDER BY level, id)
FROM community WHERE knowledge_space_id = %(space_id)s

-- read_members: all memberships, as blocks of bytes: node, community, weight.
SELECT string_agg(uuid_send(node_id) || uuid_send(community_id) || float4send(weight), ''::bytea)
FROM community_member WHERE knowledge_space_id = %(space_id)s
GROUP BY get_byte(uuid_send(node_id), 15)

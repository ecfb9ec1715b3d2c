-- read_community_memberships: the memberships of these nodes, as a block of bytes: node, community, weight.
SELECT string_agg(uuid_send(node_id) || uuid_send(community_id) || float4send(weight), ''::bytea)
FROM community_member WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

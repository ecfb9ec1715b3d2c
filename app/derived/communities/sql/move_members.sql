-- move_members: put nodes that are in a community into another, or weigh them anew.
UPDATE community_member SET community_id = given.community_id, weight = given.weight
FROM unnest(%(nodes)s::uuid[], %(communities)s::uuid[], %(weights)s::real[]) AS given (node_id, community_id, weight)
WHERE community_member.knowledge_space_id = %(space_id)s AND community_member.node_id = given.node_id

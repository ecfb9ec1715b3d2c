-- add_members: put nodes that are in no community into theirs.
INSERT INTO community_member (knowledge_space_id, node_id, community_id, weight)
SELECT here.knowledge_space_id, given.node_id, given.community_id, given.weight
FROM unnest(%(nodes)s::uuid[], %(communities)s::uuid[], %(weights)s::real[]) AS given (node_id, community_id, weight)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s

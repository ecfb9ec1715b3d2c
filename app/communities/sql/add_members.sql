-- add_members: put nodes that are in no community into theirs.
INSERT INTO community_member (knowledge_space_id, node_id, community_id, weight)
SELECT %(space_id)s, given.node_id, given.community_id, given.weight
FROM unnest(%(nodes)s::uuid[], %(communities)s::uuid[], %(weights)s::real[]) AS given (node_id, community_id, weight)

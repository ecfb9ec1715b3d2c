-- move_members: put the staged nodes that are in a community into another, or weigh them anew.
UPDATE community_member SET community_id = staged.community_id, weight = staged.weight
FROM staged_member AS staged
WHERE community_member.knowledge_space_id = %(space_id)s AND community_member.node_id = staged.node_id AND NOT staged.fresh

-- add_members: put the staged nodes that are in no community into theirs.
INSERT INTO community_member (knowledge_space_id, node_id, community_id, weight)
SELECT %(space_id)s, node_id, community_id, weight FROM staged_member WHERE fresh

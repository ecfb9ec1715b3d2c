-- write_members: put the staged nodes into their communities.
INSERT INTO community_member (knowledge_space_id, node_id, community_id, weight)
SELECT %(space_id)s, node_id, community_id, weight FROM staged_member ORDER BY node_id
ON CONFLICT (knowledge_space_id, node_id) DO UPDATE SET
    community_id = excluded.community_id, weight = excluded.weight

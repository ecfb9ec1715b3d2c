-- record_edges: add recalls to those of these edges that exist, in the order of their ids.
-- The lock is the one that the foreign key takes: an edge that somebody is deleting is left out, not waited for.
-- One probe for each id, whatever the planner thinks of the size of the space: that is what the LIMIT is for.
INSERT INTO edge_recall AS r (knowledge_space_id, edge_id, recall_count, total_score, last_recalled_at)
SELECT e.knowledge_space_id, e.id, n.recalls, n.score, now() - make_interval(secs => n.age)
FROM (
    SELECT * FROM unnest(%(ids)s::uuid[], %(counts)s::bigint[], %(scores)s::double precision[], %(ages)s::double precision[])
        AS noted(id, recalls, score, age) ORDER BY id
) AS n
CROSS JOIN LATERAL (
    SELECT e.knowledge_space_id, e.id FROM graph_edge e WHERE e.knowledge_space_id = %(space_id)s AND e.id = n.id
    LIMIT 1 FOR KEY SHARE SKIP LOCKED
) AS e
ON CONFLICT (knowledge_space_id, edge_id) DO UPDATE SET
    recall_count = r.recall_count + excluded.recall_count, total_score = r.total_score + excluded.total_score,
    last_recalled_at = greatest(r.last_recalled_at, excluded.last_recalled_at)

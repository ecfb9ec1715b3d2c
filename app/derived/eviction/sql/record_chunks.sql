-- record_chunks: add recalls to those of these chunks that exist, in the order of their ids.
-- The lock is the one that the foreign key takes: a chunk that somebody is deleting is left out, not waited for.
-- One probe for each id, whatever the planner thinks of the size of the space: that is what the LIMIT is for.
INSERT INTO chunk_recall AS r (knowledge_space_id, chunk_id, recall_count, total_score, last_recalled_at)
SELECT c.knowledge_space_id, c.id, n.recalls, n.score, now() - make_interval(secs => n.age)
FROM (
    SELECT * FROM unnest(%(ids)s::uuid[], %(counts)s::bigint[], %(scores)s::double precision[], %(ages)s::double precision[])
        AS noted(id, recalls, score, age) ORDER BY id
) AS n
CROSS JOIN LATERAL (
    SELECT c.knowledge_space_id, c.id FROM knowledge_chunk c WHERE c.knowledge_space_id = %(space_id)s AND c.id = n.id
    LIMIT 1 FOR KEY SHARE SKIP LOCKED
) AS c
ON CONFLICT (knowledge_space_id, chunk_id) DO UPDATE SET
    recall_count = r.recall_count + excluded.recall_count, total_score = r.total_score + excluded.total_score,
    last_recalled_at = greatest(r.last_recalled_at, excluded.last_recalled_at)

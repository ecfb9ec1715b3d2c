-- count_decisions: add decisions to the counters of the space; returns how many skips there were before.
SELECT coalesce(sum(skips.decisions), 0)::bigint FROM summary_count AS skips
WHERE skips.knowledge_space_id = %(space_id)s AND NOT skips.refreshed;
INSERT INTO summary_count AS standing (knowledge_space_id, reason, refreshed, decisions, last_at)
SELECT here.knowledge_space_id, t.reason, t.refreshed, t.decisions, %(now)s
FROM unnest(%(reasons)s::text[], %(refreshed)s::bool[], %(decisions)s::bigint[]) AS t(reason, refreshed, decisions)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
ORDER BY t.reason
ON CONFLICT (knowledge_space_id, reason) DO UPDATE SET
    decisions = standing.decisions + excluded.decisions, last_at = excluded.last_at

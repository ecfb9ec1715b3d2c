-- count_decisions_by_reason: the numbers of the gate's decisions by reason.
SELECT reason, refreshed, decisions, last_at FROM summary_count
WHERE knowledge_space_id = %(space_id)s ORDER BY refreshed DESC, decisions DESC, reason

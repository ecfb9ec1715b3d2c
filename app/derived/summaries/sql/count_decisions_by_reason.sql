-- count_decisions_by_reason: how often the gate decided what, by reason.
SELECT reason, refreshed, decisions, last_at FROM summary_count
WHERE knowledge_space_id = %(space_id)s ORDER BY refreshed DESC, decisions DESC, reason

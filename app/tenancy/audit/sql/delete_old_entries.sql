-- delete_old_entries: delete a batch of entries older than the given moment; return their number. Their ids are ordered by time.
WITH old AS (
    SELECT entry.id FROM audit_event AS entry
    WHERE entry.id < %(oldest)s AND entry.created_at < %(before)s
    ORDER BY entry.id LIMIT %(limit)s
), gone AS (
    DELETE FROM audit_event AS entry USING old WHERE entry.id = old.id RETURNING entry.id
)
SELECT count(*) FROM gone

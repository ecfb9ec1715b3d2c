-- delete_old_entries: remove a batch of entries older than the given moment; how many went. Their ids are ordered by time.
WITH old AS (
    SELECT entry.id FROM audit_event AS entry
    WHERE entry.id < %(oldest)s AND entry.created_at < %(before)s
    ORDER BY entry.id LIMIT %(limit)s
), gone AS (
    DELETE FROM audit_event AS entry USING old WHERE entry.id = old.id RETURNING entry.id
)
SELECT count(*) FROM gone

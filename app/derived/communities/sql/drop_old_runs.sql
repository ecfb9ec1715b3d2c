-- drop_old_runs: delete all runs but the newest fifty, with their events.
DELETE FROM community_run WHERE knowledge_space_id = %(space_id)s AND id < (
    SELECT id FROM community_run WHERE knowledge_space_id = %(space_id)s ORDER BY id DESC OFFSET 49 LIMIT 1
)

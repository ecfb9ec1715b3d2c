-- lock_running: wait until no step of the space's running jobs is being written, and let none begin.
SELECT id FROM job WHERE knowledge_space_id = %(space_id)s AND state IN ('queued', 'running') ORDER BY id FOR UPDATE

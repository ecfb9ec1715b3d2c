-- delete_all_change_notes: forget what was noted of changes, and that a partial run may follow upon those before.
WITH dropped AS (
    DELETE FROM edge_change WHERE knowledge_space_id = %(space_id)s RETURNING 1
)
UPDATE community_run SET partials = NULL
WHERE knowledge_space_id = %(space_id)s AND partials IS NOT NULL AND EXISTS (SELECT 1 FROM dropped)

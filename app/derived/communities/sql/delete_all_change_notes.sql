-- delete_all_change_notes: delete all notes of changes, and the mark that a partial run may follow the earlier ones.
WITH dropped AS (
    DELETE FROM edge_change WHERE knowledge_space_id = %(space_id)s RETURNING 1
)
UPDATE community_run SET partials = NULL
WHERE knowledge_space_id = %(space_id)s AND partials IS NOT NULL AND EXISTS (SELECT 1 FROM dropped)

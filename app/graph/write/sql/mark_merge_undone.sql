-- mark_merge_undone: record that a merge is undone.
UPDATE node_merge SET undone_at = now(), undone_by = %(actor)s
WHERE knowledge_space_id = %(space_id)s AND id = %(merge)s

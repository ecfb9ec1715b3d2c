-- mark_split_undone: record that a split is undone.
UPDATE node_split SET undone_at = now(), undone_by = %(actor)s
WHERE knowledge_space_id = %(space_id)s AND id = %(split)s

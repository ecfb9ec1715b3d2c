-- discard_stored_pairs: delete the stored pairs of likely spellings, so that they are computed again.
DELETE FROM kept_pairs WHERE knowledge_space_id = %(space_id)s

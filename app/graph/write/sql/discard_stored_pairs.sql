-- discard_stored_pairs: have the pairs of likely spellings looked for anew.
DELETE FROM kept_pairs WHERE knowledge_space_id = %(space_id)s

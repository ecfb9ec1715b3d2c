-- clear_name_ties: forget which names these chunks give to one thing; they are read again.
UPDATE knowledge_chunk SET name_ties = NULL
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(chunks)s::uuid[]) AND name_ties IS NOT NULL

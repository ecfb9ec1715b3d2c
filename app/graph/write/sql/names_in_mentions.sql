-- names_in_mentions: how the chunks that name these nodes call them, each name and form once.
SELECT DISTINCT node_id, name, surface_form FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

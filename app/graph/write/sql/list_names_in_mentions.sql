-- list_names_in_mentions: the distinct names and surfaces of the mentions of these nodes.
SELECT DISTINCT node_id, name, surface_form FROM node_mention
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

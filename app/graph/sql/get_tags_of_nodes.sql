-- get_tags_of_nodes: the tags of these nodes and who set each, most relevant first.
SELECT node_id, tag, origin FROM node_tag
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
ORDER BY node_id, ordinal

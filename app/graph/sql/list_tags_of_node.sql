-- list_tags_of_node: a node's tags, most relevant first.
SELECT tag FROM node_tag WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s ORDER BY ordinal

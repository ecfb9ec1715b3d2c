-- drop_tags: delete all tags of a node.
DELETE FROM node_tag WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s

-- drop_tags: take all tags from a node.
DELETE FROM node_tag WHERE knowledge_space_id = %(space_id)s AND node_id = %(node)s

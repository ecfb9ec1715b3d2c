-- drop_words: what else is kept of nodes that were forgotten: tags, attributes, vectors and the note to look at them.
WITH tags AS (
    DELETE FROM node_tag WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
), attributes AS (
    DELETE FROM node_attribute WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
), noted AS (
    DELETE FROM changed_node WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
)
DELETE FROM node_vector WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

-- drop_words: delete what else is stored about nodes without names: tags, attributes, vectors and marks of changes.
WITH tags AS (
    DELETE FROM node_tag WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
), attributes AS (
    DELETE FROM node_attribute WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
), noted AS (
    DELETE FROM changed_node WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
)
DELETE FROM node_vector WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

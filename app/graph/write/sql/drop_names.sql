-- drop_names: delete the names of these nodes and their spelling keys, before they are rewritten.
WITH keys AS (
    DELETE FROM node_name_key WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
)
DELETE FROM node_name WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

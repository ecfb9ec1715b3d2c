-- drop_names: forget the names of these nodes and their keys of spelling, to write them anew.
WITH keys AS (
    DELETE FROM node_name_key WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
)
DELETE FROM node_name WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])

-- drop_suggested_tags: delete the suggested tags of these nodes, or all tags.
DELETE FROM node_tag
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
  AND (%(overwrite)s::bool OR origin <> 'person')

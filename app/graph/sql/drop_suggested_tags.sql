-- drop_suggested_tags: take from these nodes all tags that no person set, or all tags.
DELETE FROM node_tag
WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
  AND (%(overwrite)s::bool OR origin <> 'person')

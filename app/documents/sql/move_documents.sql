-- move_documents: give documents their new addresses; a title that was the file's name changes with it.
UPDATE document SET source_uri = input.address, updated_at = now(),
    title = CASE WHEN document.title = input.old_name THEN input.new_name ELSE document.title END
FROM unnest(%(ids)s::uuid[], %(addresses)s::text[], %(old_names)s::text[], %(new_names)s::text[])
    AS input(id, address, old_name, new_name)
WHERE document.knowledge_space_id = %(space_id)s AND document.id = input.id

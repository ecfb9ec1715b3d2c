-- get_addresses_of_documents: the addresses of these documents, without those that have none.
SELECT id, source_uri FROM document
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[]) AND source_uri IS NOT NULL

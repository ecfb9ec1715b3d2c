-- read_sources: the bytes and other columns that reading documents needs, for those that exist; nothing is marked.
SELECT document.id, body.raw, document.format, document.title, document.language, document.version,
  document.quarantined_chunks,
  regexp_replace(coalesce(document.source_uri, ''), '^.*/', ''), document.metadata ->> 'date', document.trust
FROM document
JOIN document_body AS body ON body.knowledge_space_id = %(space_id)s AND body.document_id = document.id
WHERE document.knowledge_space_id = %(space_id)s AND document.id = ANY(%(ids)s::uuid[])
ORDER BY document.id

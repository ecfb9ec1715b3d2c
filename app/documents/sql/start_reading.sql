-- start_reading: mark documents as being read, count the attempt in case the worker dies, return their bytes.
-- Last the title of the oldest other document of the same content, under which a model has read that already.
UPDATE document SET state = 'processing', crash_count = crash_count + 1, failure_code = NULL, failure_reason = NULL
FROM document_body body
WHERE document.knowledge_space_id = %(space_id)s AND document.id = ANY(%(ids)s::uuid[])
  AND document.job_id = %(job)s AND document.state IN ('queued', 'processing')
  AND body.knowledge_space_id = %(space_id)s AND body.document_id = document.id
RETURNING document.id, body.raw, document.format, document.title, document.language, document.version,
  document.quarantined_chunks,
  regexp_replace(coalesce(document.source_uri, ''), '^.*/', ''), document.metadata ->> 'date', document.trust,
  (SELECT twin.title FROM document twin
   WHERE twin.knowledge_space_id = %(space_id)s AND twin.content_hash = document.content_hash
     AND twin.id <> document.id AND twin.title <> '' AND twin.state <> 'queued'
   ORDER BY twin.id LIMIT 1)

-- count_to_reread: the number of chunks of ready documents that another extractor read, or of all, that this job has not read yet.
SELECT count(*) FROM knowledge_chunk AS chunk
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.extracted_by IS NOT NULL
  AND (%(documents)s::uuid[] IS NULL OR document.id = ANY(%(documents)s::uuid[]))
  AND document.state = 'ready' AND document.format <> 'extraction'
  AND (%(everything)s::bool OR chunk.extracted_by <> %(tag)s)
  AND NOT EXISTS (
    SELECT 1 FROM trial_reading AS reading
    WHERE reading.knowledge_space_id = %(space_id)s AND reading.job_id = %(job)s AND reading.chunk_id = chunk.id
  )

-- list_next_chunks_to_reread: the chunks of the next documents that another extractor read, or of all, that this job has not read yet.
-- With `undoing` those that it has.
SELECT wanted.id, document.id
FROM (
    SELECT id FROM document
    WHERE knowledge_space_id = %(space_id)s AND state = 'ready' AND format <> 'extraction'
      AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
      AND (%(documents)s::uuid[] IS NULL OR id = ANY(%(documents)s::uuid[]))
      AND EXISTS (
        SELECT 1 FROM knowledge_chunk AS chunk
        WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.document_id = document.id AND chunk.extracted_by IS NOT NULL
          AND (%(everything)s::bool OR chunk.extracted_by <> %(tag)s)
      )
    ORDER BY id LIMIT %(limit)s
) AS document
LEFT JOIN LATERAL (
    SELECT chunk.id FROM knowledge_chunk AS chunk
    WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.document_id = document.id AND chunk.extracted_by IS NOT NULL
      AND (%(everything)s::bool OR chunk.extracted_by <> %(tag)s)
      AND %(undoing)s::bool = EXISTS (
        SELECT 1 FROM trial_reading AS reading
        WHERE reading.knowledge_space_id = %(space_id)s AND reading.job_id = %(job)s AND reading.chunk_id = chunk.id
          AND (reading.failure IS NULL OR NOT %(undoing)s::bool)
      )
) AS wanted ON true
ORDER BY document.id, wanted.id

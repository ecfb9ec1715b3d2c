-- list_readings: the extractions of a trial, with the extractor that had read each chunk for the graph.
SELECT reading.chunk_id, reading.claims, reading.failure, reading.seconds, chunk.extracted_by, chunk.document_id,
    document.title, chunk.ordinal
FROM trial_reading AS reading
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = reading.chunk_id
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
WHERE reading.knowledge_space_id = %(space_id)s AND reading.job_id = %(job)s
ORDER BY document.id, chunk.ordinal

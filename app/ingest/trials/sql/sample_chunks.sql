-- sample_chunks: a sample of the chunks that were read, without equal texts; the same for the same seed.
SELECT sample.id, sample.document_id FROM (
    SELECT DISTINCT ON (chunk.content_hash) chunk.id, chunk.document_id
    FROM knowledge_chunk AS chunk
    JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
    WHERE chunk.knowledge_space_id = %(space_id)s AND chunk.extracted_by IS NOT NULL
      AND document.state = 'ready' AND document.format <> 'extraction'
    ORDER BY chunk.content_hash, chunk.id
) AS sample
ORDER BY md5(sample.id::text || %(seed)s), sample.id
LIMIT %(chunks)s

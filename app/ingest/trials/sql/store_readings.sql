-- store_readings: store the extractions of a trial for those chunks that still exist.
INSERT INTO trial_reading (knowledge_space_id, job_id, chunk_id, claims, failure, seconds)
SELECT chunk.knowledge_space_id, %(job)s, chunk.id, given.claims::jsonb, given.failure, given.seconds
FROM unnest(%(chunks)s::uuid[], %(claims)s::text[], %(failures)s::text[], %(seconds)s::real[])
    AS given (chunk_id, claims, failure, seconds)
JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = given.chunk_id
ORDER BY chunk.id
ON CONFLICT DO NOTHING

-- hold_vectors: until the transaction ends the space does not change over to another set of vectors.
SELECT pg_advisory_xact_lock_shared(hashtextextended('vectors' || %(space_id)s::uuid::text, 0))

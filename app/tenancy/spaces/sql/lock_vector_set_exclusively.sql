-- lock_vector_set_exclusively: wait for whoever holds the space's set of vectors, and let nobody hold it until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('vectors' || %(space_id)s::uuid::text, 0))

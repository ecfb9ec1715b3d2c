-- lock_vector_set_exclusively: wait for all users of the space's set of vectors, and lock it exclusively until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('vectors' || %(space_id)s::uuid::text, 0))

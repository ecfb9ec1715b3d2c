-- lock_vector_set_shared: lock the space's set of vectors against a switch until the transaction ends.
-- Two statements: what is read must be as the lock found it, and not as it was when the lock was asked for.
SELECT pg_advisory_xact_lock_shared(hashtextextended('vectors' || %(space_id)s::uuid::text, 0));
SELECT vector_set FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s

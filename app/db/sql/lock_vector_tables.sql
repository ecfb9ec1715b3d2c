-- lock_vector_tables: wait for the writers of the space's graph and vectors, and lock both against writes until the transaction ends.
-- In the order in which writers take the two; the second as `app.db.vectors.tables.lock_vector_tables` takes it, alone.
SELECT dedicated_vectors FROM knowledge_space WHERE tenant_id = %(tenant_id)s AND id = %(space_id)s FOR NO KEY UPDATE;
SELECT pg_advisory_xact_lock(hashtextextended('vectors' || %(space_id)s::uuid::text, 0))

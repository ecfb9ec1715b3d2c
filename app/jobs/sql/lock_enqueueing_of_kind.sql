-- lock_enqueueing_of_kind: lock the enqueueing of jobs of that kind in this space until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended(%(kind)s::text || %(space_id)s::uuid::text, 0))

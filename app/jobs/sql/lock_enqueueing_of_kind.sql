-- lock_enqueueing_of_kind: until the transaction ends nobody else queues a job of that kind in this space.
SELECT pg_advisory_xact_lock(hashtextextended(%(kind)s::text || %(space_id)s::uuid::text, 0))

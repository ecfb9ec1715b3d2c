-- lock_communities: until the transaction ends nobody else writes communities of this space.
SELECT pg_advisory_xact_lock(hashtextextended('communities:' || %(space_id)s::uuid::text, 0))

-- lock_communities: lock the communities of this space against other writers until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('communities:' || %(space_id)s::uuid::text, 0))

-- time_now: the database's clock, by which the gate goes: workers' own may differ.
SELECT now() WHERE %(space_id)s::uuid IS NOT NULL

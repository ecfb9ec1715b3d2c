-- transaction_time: the database's clock, which jobs use, since the clocks of workers may differ.
SELECT now() WHERE %(space_id)s::uuid IS NOT NULL

-- transaction_time: the clock of the database, by which jobs go: those of the workers may differ.
SELECT now() WHERE %(space_id)s::uuid IS NOT NULL

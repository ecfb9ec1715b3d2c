-- time_now: when the transaction began, by the database's clock.
SELECT now()

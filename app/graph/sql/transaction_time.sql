-- transaction_time: the start of the transaction by the database's clock.
SELECT now()

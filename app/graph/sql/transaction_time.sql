-- transaction_time: when the transaction began, by the database's clock.
SELECT now()

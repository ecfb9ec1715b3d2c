-- fence: prove that a lease holds, and let nobody end it until the transaction does; heartbeats do not wait for this.
SELECT cancel_requested FROM job
WHERE knowledge_space_id = %(space_id)s AND id = %(job)s AND fence = %(fence)s AND state = 'running'
FOR KEY SHARE

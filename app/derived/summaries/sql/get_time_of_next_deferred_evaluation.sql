-- get_time_of_next_deferred_evaluation: the time at which the next deferred node is evaluated again.
SELECT min(due_at) FROM node_summary WHERE knowledge_space_id = %(space_id)s AND due_at IS NOT NULL

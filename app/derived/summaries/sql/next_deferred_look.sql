-- next_deferred_look: when the next of the deferred nodes is to be looked at again.
SELECT min(due_at) FROM node_summary WHERE knowledge_space_id = %(space_id)s AND due_at IS NOT NULL

-- drop_summaries: summaries of nodes that no fact is left of, with their history.
DELETE FROM node_summary WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(ids)s::uuid[])

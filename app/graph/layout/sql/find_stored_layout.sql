-- find_stored_layout: the stored layout of a part of the drawing, if it is for this graph and these communities.
SELECT body FROM graph_layout
WHERE knowledge_space_id = %(space_id)s AND part = %(part)s AND version = %(version)s

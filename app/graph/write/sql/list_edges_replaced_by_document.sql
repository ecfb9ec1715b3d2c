-- list_edges_replaced_by_document: the edges that ended because a new text of this document no longer states them.
SELECT DISTINCT edge_id FROM edge_invalidation
WHERE knowledge_space_id = %(space_id)s AND document_id = %(document)s AND document_id IS NOT NULL
ORDER BY edge_id

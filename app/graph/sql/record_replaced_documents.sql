-- record_replaced_documents: record in decisions about these edges the document whose text was replaced, with which their words are deleted.
UPDATE edge_invalidation SET document_id = given.document_id
FROM unnest(%(edges)s::uuid[], %(documents)s::uuid[]) AS given(edge_id, document_id)
WHERE edge_invalidation.knowledge_space_id = %(space_id)s AND edge_invalidation.edge_id = given.edge_id
  AND edge_invalidation.document_id IS NULL AND edge_invalidation.kind = 'person'

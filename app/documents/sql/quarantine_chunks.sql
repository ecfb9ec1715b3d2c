-- quarantine_chunks: record why no graph could be extracted from chunks, and since which version of their document.
UPDATE knowledge_chunk SET quarantine_code = t.code, quarantine_reason = t.reason,
    quarantined_since = coalesce(knowledge_chunk.quarantined_since, document.version)
FROM unnest(%(ids)s::uuid[], %(codes)s::text[], %(reasons)s::text[]) AS t(id, code, reason), document
WHERE knowledge_chunk.knowledge_space_id = %(space_id)s AND knowledge_chunk.id = t.id
  AND document.knowledge_space_id = %(space_id)s AND document.id = knowledge_chunk.document_id

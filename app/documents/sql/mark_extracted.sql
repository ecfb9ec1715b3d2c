-- mark_extracted: record the extractor that has read chunks completely.
UPDATE knowledge_chunk SET extracted_by = %(extractor)s,
    quarantine_code = NULL, quarantine_reason = NULL, quarantined_since = NULL
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])

-- erase_reasons_and_dates_of_endings: delete a person's words and the dates of a deleted text from the ledger entries about these edges.
-- The date of an undone ending caused by the edge is deleted; one in force has another source.
UPDATE edge_invalidation SET
    reason = CASE WHEN kind = 'person' AND edge_id = ANY(%(edges)s::uuid[]) THEN 'erased' ELSE reason END,
    claim_dated_at = CASE WHEN edge_id = ANY(%(edges)s::uuid[]) THEN NULL ELSE claim_dated_at END,
    invalidated_at = CASE WHEN source_edge_id = ANY(%(edges)s::uuid[]) AND undone_at IS NOT NULL THEN created_at
        ELSE edge_invalidation.invalidated_at END
WHERE knowledge_space_id = %(space_id)s
  AND (edge_id = ANY(%(edges)s::uuid[]) OR source_edge_id = ANY(%(edges)s::uuid[]))

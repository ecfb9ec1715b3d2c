-- edge_passes: the filters that an edge must pass; absent ones are planned away.
-- include edge_holds
AND (%(relation_types)s::text[] IS NULL OR relation_type = ANY(%(relation_types)s::text[]))
-- include layer_passes
AND (%(min_confidence)s::real IS NULL OR confidence >= %(min_confidence)s::real)
AND (%(with_evidence)s::bool IS NULL OR evidence_chunk_id IS NOT NULL)

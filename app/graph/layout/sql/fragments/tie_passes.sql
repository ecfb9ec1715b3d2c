-- tie_passes: the edge held at the moment and has the given relation, layer and confidence.
AND edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)
AND (%(relation)s::text IS NULL OR relation_type = %(relation)s::text)
AND (%(layer)s::text IS NULL
     OR CASE WHEN relation_type = ANY(%(claim_types)s::text[]) THEN 'claim' ELSE 'statement' END = %(layer)s::text)
AND (%(min_confidence)s::real IS NULL OR confidence >= %(min_confidence)s::real)

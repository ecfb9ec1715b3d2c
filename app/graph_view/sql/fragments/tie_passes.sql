-- tie_passes: the edge held at the moment, and is of the relation and confidence asked for.
AND (%(as_of)s::timestamptz IS NULL AND invalidated_at IS NULL
     OR %(as_of)s::timestamptz >= coalesce(valid_from, '-infinity')
        AND %(as_of)s::timestamptz < coalesce(invalidated_at, 'infinity'))
AND (%(relation)s::text IS NULL OR relation_type = %(relation)s::text)
AND (%(min_confidence)s::real IS NULL OR confidence >= %(min_confidence)s::real)

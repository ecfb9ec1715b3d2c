-- edge_holds: an edge holds now, or held at the moment that is asked for; without one the rest is planned away.
AND (%(as_of)s::timestamptz IS NULL AND invalidated_at IS NULL
     OR %(as_of)s::timestamptz >= coalesce(valid_from, '-infinity')
        AND %(as_of)s::timestamptz < coalesce(invalidated_at, 'infinity'))

-- edge_holds: an edge holds now, or held at the moment that is asked for; without one the rest is planned away.
AND edge_holds(deleted_at, invalidated_at, valid_from, %(as_of)s::timestamptz)

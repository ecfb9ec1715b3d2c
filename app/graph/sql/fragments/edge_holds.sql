-- edge_holds: an edge holds now, or held at the given moment; without one the other part is planned away.
AND edge_holds(deleted_at, invalidated_at, valid_from, %(as_of)s::timestamptz)

-- edge_holds: an edge holds now, or held at the given moment; without one the other part is planned away.
AND edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)

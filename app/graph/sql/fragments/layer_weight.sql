-- layer_weight: the factor of an edge's weight by its layer: a statement counts less than a claim.
(CASE WHEN relation_type = ANY(%(claim_types)s::text[]) THEN 1 ELSE %(statement_weight)s::real END)

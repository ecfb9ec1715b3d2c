-- layer_weight: what the layer of an edge multiplies its weight by: a statement counts less than a claim.
(CASE WHEN relation_type = ANY(%(claim_types)s::text[]) THEN 1 ELSE %(statement_weight)s::real END)

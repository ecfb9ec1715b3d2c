-- layer_passes: the layer that an edge must be of, where layers are asked for: its relation type says which (app/domain/layers.py).
AND (%(layers)s::text[] IS NULL
     OR CASE WHEN relation_type = ANY(%(claim_types)s::text[]) THEN 'claim' ELSE 'statement' END = ANY(%(layers)s::text[]))

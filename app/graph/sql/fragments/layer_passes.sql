-- layer_passes: the layer of the edge is among the given ones, judged by its relation type (app/domain/layers.py).
AND (%(layers)s::text[] IS NULL
     OR CASE WHEN relation_type = ANY(%(claim_types)s::text[]) THEN 'claim' ELSE 'statement' END = ANY(%(layers)s::text[]))

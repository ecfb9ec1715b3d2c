-- sum_weights_of_top_level: of the communities of level 0, the weight inside them and their squared weights, each summed up.
SELECT coalesce(sum(inner_weight), 0), coalesce(sum(weight * weight), 0)
FROM community WHERE knowledge_space_id = %(space_id)s AND level = 0

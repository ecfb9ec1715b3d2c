-- mention_counts: how many chunks the space has, and how many name each of these nodes, in their order; 0 for one that is gone.
SELECT (SELECT coalesce(sum(chunks), 0)::bigint FROM space_size
        WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s),
    string_agg(int4send(coalesce(node.mention_count, 0)), ''::bytea ORDER BY given.place)
FROM unnest(%(nodes)s::uuid[]) WITH ORDINALITY AS given(id, place)
LEFT JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = given.id

-- count_chunks_naming: the number of chunks in the space, and the number that mention each of these nodes, in order; 0 for a deleted one.
SELECT (SELECT coalesce(sum(chunks), 0)::bigint FROM space_size
        WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s),
    string_agg(int4send(coalesce(node.mention_count, 0)), ''::bytea ORDER BY given.place)
FROM unnest(%(nodes)s::uuid[]) WITH ORDINALITY AS given(id, place)
LEFT JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = given.id

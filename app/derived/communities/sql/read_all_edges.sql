-- read_all_edges: the edges that lead to these ranges of nodes, without relations of addresses, as blocks of bytes, by an index-only scan.
-- A column at a time costs less than joining the fields of a row, a range of nodes less than a group of edges.
SELECT edge.* FROM unnest(%(first)s::uuid[], %(last)s::uuid[]) AS part(first, last)
CROSS JOIN LATERAL (
    SELECT string_agg(uuid_send(from_node_id), NULL), string_agg(uuid_send(to_node_id), NULL),
        string_agg(float4send(weight), NULL), string_agg(int4send(hashtext(relation_type)), NULL)
    FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND to_node_id BETWEEN part.first AND part.last
      AND edge_holds(deleted_at, invalidated_at) AND relation_type <> ALL(%(addresses)s::text[])
) AS edge

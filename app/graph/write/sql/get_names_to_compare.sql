-- get_names_to_compare: these nodes for a comparison of names: type, voted types, full names and all normalised names.
-- Nodes with erased names are left out.
SELECT g.id, g.canonical_name, g.node_type, g.mention_count,
    ARRAY(SELECT jsonb_object_keys(coalesce(g.metadata -> 'typeVotes', '{}'))), named.full_names, named.normalised
FROM unnest(%(nodes)s::uuid[]) AS given (id)
CROSS JOIN LATERAL (
    SELECT id, canonical_name, node_type, mention_count, metadata FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id = given.id LIMIT 1
) AS g
CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT n.name) FILTER (WHERE n.kind <> 'short' AND n.name <> g.canonical_name)
            AS full_names,
        array_agg(n.normalised_name) AS normalised
    FROM (
        SELECT name, normalised_name, kind FROM node_name
        WHERE knowledge_space_id = %(space_id)s AND node_id = given.id OFFSET 0
    ) AS n
) AS named
WHERE named.normalised IS NOT NULL

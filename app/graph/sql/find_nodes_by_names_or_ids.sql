-- find_nodes_by_names_or_ids: the nodes with any of these normalised names or ids, at most five for each name.
-- Canonical names and aliases come before short forms, then more mentioned nodes first. Each node is one look-up by
-- its key, whatever the number of spaces: a join would read all nodes of a small space, because the planner assumes a
-- large one.
WITH known AS (
    SELECT name.normalised_name, name.kind, name.node_id
    FROM node_name AS name
    WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name = ANY(%(names)s::text[])
    UNION ALL
    SELECT '', 'id', given.id FROM unnest(%(ids)s::uuid[]) AS given (id)
), placed AS (
    SELECT known.normalised_name, known.kind, node.*,
        row_number() OVER (
            PARTITION BY known.normalised_name ORDER BY known.kind = 'short', node.mention_count DESC, node.id
        ) AS place
    FROM known
    CROSS JOIN LATERAL (
        SELECT node.id, node.canonical_name, node.node_type, node.metadata, node.mention_count, node.out_degree,
            node.in_degree, node.confidence, node.source, node.first_seen_at, node.last_seen_at
        FROM graph_node AS node
        WHERE node.knowledge_space_id = %(space_id)s AND node.id = known.node_id
        LIMIT 1
    ) AS node
)
SELECT placed.normalised_name, placed.kind,
    placed.id, placed.canonical_name, placed.node_type, placed.metadata::text, placed.mention_count, placed.out_degree,
    placed.in_degree, placed.confidence, placed.source, placed.first_seen_at, placed.last_seen_at
FROM placed
WHERE placed.place <= 5 OR placed.kind = 'id'
ORDER BY placed.normalised_name, placed.place

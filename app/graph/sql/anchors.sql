-- anchors: the nodes known by any of these normalised names or ids, at most five for each name.
-- A canonical name or alias goes before a short form, then what is mentioned more often.
WITH named AS (
    SELECT name.normalised_name, name.kind, name.node_id,
        row_number() OVER (
            PARTITION BY name.normalised_name ORDER BY name.kind = 'short', node.mention_count DESC, node.id
        ) AS place
    FROM node_name AS name
    JOIN graph_node AS node
        ON node.knowledge_space_id = %(space_id)s AND node.id = name.node_id AND node.deleted_at IS NULL
    WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name = ANY(%(names)s::text[])
    UNION ALL
    SELECT '', 'id', given.id, 1 FROM unnest(%(ids)s::uuid[]) AS given (id)
)
SELECT named.normalised_name, named.kind,
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree,
    node.in_degree, node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM named
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = named.node_id AND node.deleted_at IS NULL
WHERE named.place <= 5
ORDER BY named.normalised_name, named.place

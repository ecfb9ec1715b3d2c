-- nodes: the next nodes of the space in the order of their ids, each with its names and tags.
SELECT
    node.id, node.canonical_name, node.node_type, names.found, tags.found, node.metadata, node.mention_count,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM (
    SELECT * FROM graph_node
    WHERE knowledge_space_id = %(space_id)s AND id > %(id)s
    ORDER BY id
    LIMIT %(limit)s
) AS node
CROSS JOIN LATERAL (
    SELECT coalesce(
        jsonb_agg(
            jsonb_build_object('normalised', name.normalised_name, 'name', name.name, 'kind', name.kind)
            ORDER BY name.normalised_name
        ), '[]'::jsonb
    ) AS found
    FROM node_name AS name
    WHERE name.knowledge_space_id = %(space_id)s AND name.node_id = node.id
) AS names
CROSS JOIN LATERAL (
    SELECT coalesce(
        jsonb_agg(jsonb_build_object('tag', tag.tag, 'origin', tag.origin) ORDER BY tag.ordinal), '[]'::jsonb
    ) AS found
    FROM node_tag AS tag
    WHERE tag.knowledge_space_id = %(space_id)s AND tag.node_id = node.id
) AS tags
ORDER BY node.id

-- list_strongest_claims: the claims among the central nodes of each community, with parallel edges combined.
WITH core AS MATERIALIZED (
    SELECT * FROM unnest(%(communities)s::uuid[], %(nodes)s::uuid[]) AS t(community_id, node_id)
), edge AS (
    SELECT core.community_id, own.* FROM core
    CROSS JOIN LATERAL (
        SELECT id, from_node_id, to_node_id, relation_type, weight FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = core.node_id
          AND edge_holds(deleted_at, invalidated_at) AND evidence_chunk_id IS NOT NULL
          AND relation_type <> ALL(%(addresses)s::text[])
        ORDER BY weight DESC LIMIT %(per_node)s
    ) AS own
    JOIN core AS other ON other.community_id = core.community_id AND other.node_id = own.to_node_id
), claim AS (
    SELECT community_id, from_node_id, to_node_id, relation_type, sum(weight) AS weight,
        (array_agg(id ORDER BY weight DESC, id))[1:3] AS edge_ids
    FROM edge GROUP BY community_id, from_node_id, to_node_id, relation_type
), ranked AS (
    SELECT claim.*, source.canonical_name AS from_name, target.canonical_name AS to_name, row_number() OVER (
        PARTITION BY community_id ORDER BY claim.weight DESC, source.canonical_name, relation_type, target.canonical_name
    ) AS place
    FROM claim
    JOIN graph_node AS source ON source.knowledge_space_id = %(space_id)s AND source.id = claim.from_node_id
    JOIN graph_node AS target ON target.knowledge_space_id = %(space_id)s AND target.id = claim.to_node_id
)
SELECT ranked.community_id, ranked.from_name, ranked.relation_type, ranked.to_name, ranked.weight, ranked.edge_ids,
    best.metadata ->> 'quote'
FROM ranked
JOIN graph_edge AS best ON best.knowledge_space_id = %(space_id)s AND best.id = ranked.edge_ids[1]
WHERE ranked.place <= %(limit)s
ORDER BY ranked.community_id, ranked.place

-- merge_preview: count what a merge of two nodes would move and where they overlap, and the votes that would result.
WITH joined AS MATERIALIZED (
    -- One mention per chunk stays, as in merge_nodes.
    SELECT DISTINCT ON (m.chunk_id) m.name, min(m.node_type COLLATE "C") OVER (PARTITION BY m.chunk_id) AS node_type, d.trust
    FROM node_mention m
    JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = m.chunk_id
    JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
    WHERE m.knowledge_space_id = %(space_id)s AND m.node_id IN (%(winner)s::uuid, %(loser)s::uuid)
    ORDER BY m.chunk_id, m.char_start, m.name COLLATE "C"
), claims AS MATERIALIZED (
    SELECT e.from_node_id = %(loser)s::uuid AS leaves, e.relation_type,
        CASE WHEN e.from_node_id = %(loser)s::uuid THEN e.to_node_id ELSE e.from_node_id END AS other
    FROM graph_edge e
    WHERE e.knowledge_space_id = %(space_id)s AND (e.from_node_id = %(loser)s::uuid OR e.to_node_id = %(loser)s::uuid)
), meeting AS (
    SELECT DISTINCT claims.leaves, claims.relation_type, claims.other FROM claims
    WHERE EXISTS (
        SELECT 1 FROM graph_edge w
        WHERE w.knowledge_space_id = %(space_id)s AND w.relation_type = claims.relation_type
          AND w.from_node_id = CASE WHEN claims.leaves THEN %(winner)s::uuid ELSE claims.other END
          AND w.to_node_id = CASE WHEN claims.leaves THEN claims.other ELSE %(winner)s::uuid END)
)
SELECT
    (SELECT count(*) FROM node_mention m
     WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = %(loser)s::uuid),
    (SELECT count(*) FROM node_mention m JOIN node_mention o
        ON o.knowledge_space_id = %(space_id)s AND o.chunk_id = m.chunk_id AND o.node_id = %(winner)s::uuid
     WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = %(loser)s::uuid),
    (SELECT count(*) FROM claims WHERE claims.leaves AND claims.other <> %(winner)s::uuid),
    (SELECT count(*) FROM claims WHERE NOT claims.leaves AND claims.other <> %(winner)s::uuid),
    (SELECT count(*) FROM claims WHERE claims.other = %(winner)s::uuid),
    (SELECT count(*) FROM meeting),
    (SELECT coalesce(jsonb_agg(jsonb_build_array(t.name, t.node_type, t.trust, t.votes)), '[]') FROM (
        SELECT joined.name, joined.node_type, joined.trust, count(*) AS votes FROM joined
        WHERE joined.name IS NOT NULL GROUP BY joined.name, joined.node_type, joined.trust) AS t)

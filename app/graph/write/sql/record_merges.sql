-- record_merges: record the losers before they are merged, so that each merge can be undone.
INSERT INTO node_merge (knowledge_space_id, id, winner_node_id, loser_node_id, loser_name, loser_type, loser, winner,
    names, winner_names, mentions, winner_mentions, edges_from, edges_to, loops, vectors, reason,
    decided_by, confidence, graph_revision)
SELECT l.knowledge_space_id, pair.id, pair.winner, pair.loser, l.canonical_name, l.node_type,
    jsonb_build_object('metadata', l.metadata, 'confidence', l.confidence, 'source', l.source,
        'first_seen_at', l.first_seen_at, 'last_seen_at', l.last_seen_at, 'created_at', l.created_at,
        'tags', coalesce((SELECT jsonb_agg(jsonb_build_array(t.tag, t.ordinal, t.origin) ORDER BY t.ordinal, t.tag)
            FROM node_tag t WHERE t.knowledge_space_id = %(space_id)s AND t.node_id = pair.loser), '[]')),
    jsonb_build_object('canonical_name', w.canonical_name, 'node_type', w.node_type, 'confidence', w.confidence,
        'first_seen_at', w.first_seen_at, 'last_seen_at', w.last_seen_at),
    coalesce((SELECT jsonb_agg(jsonb_build_array(n.normalised_name, n.name, n.kind) ORDER BY n.normalised_name)
        FROM node_name n WHERE n.knowledge_space_id = %(space_id)s AND n.node_id = pair.loser), '[]'),
    coalesce((SELECT jsonb_agg(jsonb_build_array(n.normalised_name, n.name, n.kind) ORDER BY n.normalised_name)
        FROM node_name n JOIN node_name o ON o.knowledge_space_id = %(space_id)s
            AND o.normalised_name = n.normalised_name AND o.node_id = pair.loser
        WHERE n.knowledge_space_id = %(space_id)s AND n.node_id = pair.winner), '[]'),
    coalesce((SELECT jsonb_agg(jsonb_build_array(m.chunk_id, m.surface_form, m.char_start, m.char_end, m.name,
            m.node_type, m.sense, m.titular) ORDER BY m.chunk_id)
        FROM node_mention m WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = pair.loser), '[]'),
    coalesce((SELECT jsonb_agg(jsonb_build_array(m.chunk_id, m.surface_form, m.char_start, m.char_end, m.name,
            m.node_type, m.sense, m.titular) ORDER BY m.chunk_id)
        FROM node_mention m JOIN node_mention o ON o.knowledge_space_id = %(space_id)s
            AND o.chunk_id = m.chunk_id AND o.node_id = pair.loser
        WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = pair.winner), '[]'),
    ARRAY(SELECT e.id FROM graph_edge e WHERE e.knowledge_space_id = %(space_id)s AND e.from_node_id = pair.loser ORDER BY e.id),
    ARRAY(SELECT e.id FROM graph_edge e WHERE e.knowledge_space_id = %(space_id)s AND e.to_node_id = pair.loser ORDER BY e.id),
    coalesce((
        SELECT jsonb_agg(
            to_jsonb(e) - '{other_end,knowledge_space_id}'::text[] || jsonb_build_object('content_hash', c.content_hash,
                'vectors', (SELECT jsonb_agg(jsonb_build_array(v.vector_set, v.embedding::text) ORDER BY v.vector_set)
                    FROM fact_vector v WHERE v.knowledge_space_id = %(space_id)s AND v.edge_id = e.id),
                'metadata', CASE WHEN c.id IS NULL THEN e.metadata ELSE e.metadata - 'quote' END)
            ORDER BY e.id)
        FROM (
            SELECT x.*, x.to_node_id AS other_end FROM graph_edge x
            WHERE x.knowledge_space_id = %(space_id)s AND x.from_node_id = pair.loser
            UNION ALL
            SELECT x.*, x.from_node_id FROM graph_edge x
            WHERE x.knowledge_space_id = %(space_id)s AND x.to_node_id = pair.loser
        ) AS e
        LEFT JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS other(loser, winner) ON other.loser = e.other_end
        LEFT JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = e.evidence_chunk_id
        WHERE e.from_node_id <> e.to_node_id AND pair.winner = coalesce(other.winner, e.other_end)
    ), '[]'),
    coalesce((SELECT jsonb_agg(jsonb_build_array(v.vector_set, v.embedding::text) ORDER BY v.vector_set)
        FROM node_vector v WHERE v.knowledge_space_id = %(space_id)s AND v.node_id = pair.loser), '[]'),
    pair.reason, pair.decided_by, pair.confidence,
    %(graph_revision)s::bigint
FROM unnest(%(ids)s::uuid[], %(losers)s::uuid[], %(winners)s::uuid[], %(reasons)s::text[], %(deciders)s::text[],
        %(confidences)s::real[]) AS pair(id, loser, winner, reason, decided_by, confidence)
JOIN graph_node l ON l.knowledge_space_id = %(space_id)s AND l.id = pair.loser
JOIN graph_node w ON w.knowledge_space_id = %(space_id)s AND w.id = pair.winner;
-- The edges that will move without becoming a loop, once for each end at a loser.
SELECT pair.id, e.id
FROM unnest(%(ids)s::uuid[], %(losers)s::uuid[], %(winners)s::uuid[]) AS pair(id, loser, winner)
JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.from_node_id = pair.loser
LEFT JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS other(loser, winner) ON other.loser = e.to_node_id
WHERE e.from_node_id = e.to_node_id OR pair.winner <> coalesce(other.winner, e.to_node_id)
UNION ALL
SELECT pair.id, e.id
FROM unnest(%(ids)s::uuid[], %(losers)s::uuid[], %(winners)s::uuid[]) AS pair(id, loser, winner)
JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.to_node_id = pair.loser
LEFT JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS other(loser, winner) ON other.loser = e.from_node_id
WHERE e.from_node_id = e.to_node_id OR pair.winner <> coalesce(other.winner, e.from_node_id)

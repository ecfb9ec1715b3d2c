-- record_merges: write down what losers are before they are merged, so that each merge can be undone.
WITH pair AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::uuid[], %(losers)s::uuid[], %(winners)s::uuid[], %(reasons)s::text[],
        %(deciders)s::text[], %(confidences)s::real[]) AS t(id, loser, winner, reason, decided_by, confidence)
), leaving AS MATERIALIZED (
    SELECT pair.id AS merge_id, e.relation_type <> 'exists' AND pair.winner = coalesce(other.winner, e.to_node_id) AS loop, e.*
    FROM pair
    JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.from_node_id = pair.loser
    LEFT JOIN pair AS other ON other.loser = e.to_node_id
), entering AS MATERIALIZED (
    SELECT pair.id AS merge_id, e.relation_type <> 'exists' AND pair.winner = coalesce(other.winner, e.from_node_id) AS loop, e.*
    FROM pair
    JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.to_node_id = pair.loser
    LEFT JOIN pair AS other ON other.loser = e.from_node_id
), loops AS MATERIALIZED (
    SELECT every.merge_id, jsonb_agg(
        to_jsonb(every) - '{merge_id,loop,knowledge_space_id}'::text[] || jsonb_build_object('content_hash', c.content_hash,
            'vectors', (SELECT jsonb_agg(jsonb_build_array(v.vector_set, v.embedding::text) ORDER BY v.vector_set)
                FROM fact_vector v WHERE v.knowledge_space_id = %(space_id)s AND v.edge_id = every.id),
            'metadata', CASE WHEN c.id IS NULL THEN every.metadata ELSE every.metadata - 'quote' END)
        ORDER BY every.id) AS edges
    FROM (SELECT * FROM leaving WHERE loop UNION ALL SELECT * FROM entering WHERE loop) AS every
    LEFT JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = every.evidence_chunk_id
    GROUP BY every.merge_id
), recorded AS (
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
        ARRAY(SELECT leaving.id FROM leaving WHERE leaving.merge_id = pair.id ORDER BY leaving.id),
        ARRAY(SELECT entering.id FROM entering WHERE entering.merge_id = pair.id ORDER BY entering.id),
        coalesce((SELECT loops.edges FROM loops WHERE loops.merge_id = pair.id), '[]'),
        coalesce((SELECT jsonb_agg(jsonb_build_array(v.vector_set, v.embedding::text) ORDER BY v.vector_set)
            FROM node_vector v WHERE v.knowledge_space_id = %(space_id)s AND v.node_id = pair.loser), '[]'),
        pair.reason, pair.decided_by, pair.confidence,
        %(graph_revision)s::bigint
    FROM pair
    JOIN graph_node l ON l.knowledge_space_id = %(space_id)s AND l.id = pair.loser
    JOIN graph_node w ON w.knowledge_space_id = %(space_id)s AND w.id = pair.winner
)
SELECT merge_id, id FROM leaving WHERE NOT loop UNION ALL SELECT merge_id, id FROM entering WHERE NOT loop

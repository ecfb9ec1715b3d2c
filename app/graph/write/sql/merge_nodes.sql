-- merge_nodes: move everything of the losers to their winners; `drop_merged` then deletes the losers.
INSERT INTO node_name AS standing (knowledge_space_id, normalised_name, node_id, name, kind, spelling_key)
SELECT n.knowledge_space_id, n.normalised_name, pair.winner, max(n.name COLLATE "C"),
       CASE WHEN bool_or(n.kind <> 'short') THEN 'alias' ELSE 'short' END, spelling_key(n.normalised_name)
FROM node_name n JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS pair(loser, winner)
    ON n.node_id = pair.loser
WHERE n.knowledge_space_id = %(space_id)s
GROUP BY n.knowledge_space_id, n.normalised_name, pair.winner
ON CONFLICT (knowledge_space_id, normalised_name, node_id) DO UPDATE SET
    name = greatest(standing.name COLLATE "C", excluded.name COLLATE "C"),
    kind = CASE WHEN standing.kind = 'short' THEN excluded.kind ELSE standing.kind END;
INSERT INTO node_name_key (knowledge_space_id, key, node_id)
SELECT DISTINCT k.knowledge_space_id, k.key, pair.winner
FROM node_name_key k JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS pair(loser, winner) ON k.node_id = pair.loser
WHERE k.knowledge_space_id = %(space_id)s
ON CONFLICT DO NOTHING;
INSERT INTO node_attribute (knowledge_space_id, chunk_id, node_id, name, value, said_of, quote, char_start, char_end, stated_at,
    ended_at, ended_by, ended_reason, confidence, subject)
SELECT a.knowledge_space_id, a.chunk_id, pair.winner, a.name, a.value, a.said_of, a.quote, a.char_start, a.char_end, a.stated_at,
    a.ended_at, a.ended_by, a.ended_reason, a.confidence, a.subject
FROM node_attribute a JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS pair(loser, winner) ON a.node_id = pair.loser
WHERE a.knowledge_space_id = %(space_id)s
ORDER BY a.chunk_id, pair.winner, a.name, a.char_start, a.value
ON CONFLICT DO NOTHING;
INSERT INTO node_mention AS standing
    (knowledge_space_id, chunk_id, node_id, surface_form, char_start, char_end, name, node_type, titular, sense)
SELECT every.knowledge_space_id, every.chunk_id, every.winner, every.surface_form, every.char_start, every.char_end, every.name,
    every.node_type, every.titular, every.sense
FROM (
    -- One mention per chunk stays: the earliest, with the least type and titular if any is, independent of insertion order.
    SELECT DISTINCT ON (m.knowledge_space_id, coalesce(pair.winner, m.node_id), m.chunk_id)
        m.knowledge_space_id, coalesce(pair.winner, m.node_id) AS winner, m.chunk_id, m.surface_form, m.char_start, m.char_end, m.name,
        min(m.node_type COLLATE "C") OVER same_chunk AS node_type, bool_or(m.titular) OVER same_chunk AS titular, m.sense
    FROM node_mention m LEFT JOIN unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS pair(loser, winner) ON m.node_id = pair.loser
    WHERE m.knowledge_space_id = %(space_id)s
      AND m.node_id = ANY(%(losers)s::uuid[] || %(winners)s::uuid[])
    WINDOW same_chunk AS (PARTITION BY m.knowledge_space_id, coalesce(pair.winner, m.node_id), m.chunk_id)
    ORDER BY m.knowledge_space_id, coalesce(pair.winner, m.node_id), m.chunk_id, m.char_start, m.name COLLATE "C"
) AS every
ORDER BY every.chunk_id, every.winner
ON CONFLICT (knowledge_space_id, chunk_id, node_id) DO UPDATE SET
    surface_form = excluded.surface_form, char_start = excluded.char_start, char_end = excluded.char_end,
    name = excluded.name, node_type = excluded.node_type, titular = excluded.titular,
    sense = excluded.sense;
WITH pair AS (
    SELECT * FROM unnest(%(losers)s::uuid[], %(winners)s::uuid[]) AS t(loser, winner)
), leaving AS (
    UPDATE graph_edge SET from_node_id = pair.winner FROM pair
    WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.from_node_id = pair.loser
      AND graph_edge.to_node_id NOT IN (SELECT loser FROM pair)
), entering AS (
    UPDATE graph_edge SET to_node_id = pair.winner FROM pair
    WHERE graph_edge.knowledge_space_id = %(space_id)s AND graph_edge.to_node_id = pair.loser
      AND graph_edge.from_node_id NOT IN (SELECT loser FROM pair)
), most AS (
    SELECT pair.winner, max(l.confidence) AS confidence, min(l.first_seen_at) AS first_seen_at,
        max(l.last_seen_at) AS last_seen_at
    FROM pair JOIN graph_node l ON l.knowledge_space_id = %(space_id)s AND l.id = pair.loser
    GROUP BY pair.winner
), lifted AS (
    UPDATE graph_node SET confidence = greatest(graph_node.confidence, most.confidence),
        first_seen_at = least(graph_node.first_seen_at, most.first_seen_at),
        last_seen_at = greatest(graph_node.last_seen_at, most.last_seen_at)
    FROM most WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = most.winner
)
-- One UPDATE must move both ends, because a statement changes a row only once.
UPDATE graph_edge SET from_node_id = a.winner, to_node_id = b.winner FROM pair a, pair b
WHERE graph_edge.knowledge_space_id = %(space_id)s
  AND graph_edge.from_node_id = a.loser AND graph_edge.to_node_id = b.loser

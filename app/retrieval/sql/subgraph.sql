-- subgraph: what ties these nodes and chunks together, as columns of bytes: likeness, who names whom, edges.
-- Numbers are places in the two lists, from 0. Of a chunk's mentions all are told, so that its share of each is
-- the same whatever else was fetched: those of other nodes have node -1, as has an edge's missing evidence.
-- A fact is compared with the question where the question led to it: it touches an anchor, or a seed states it.
WITH node AS (
    SELECT id, (place - 1)::int AS place, id = ANY(%(anchors)s::uuid[]) AS entered
    FROM unnest(%(nodes)s::uuid[]) WITH ORDINALITY AS given (id, place)
), chunk AS (
    SELECT id, (place - 1)::int AS place, id = ANY(%(seeds)s::uuid[]) AS entered
    FROM unnest(%(chunks)s::uuid[]) WITH ORDINALITY AS given (id, place)
), likeness AS (
    SELECT chunk.place, coalesce(1 - (vector.embedding <=> %(question)s::halfvec), 0)::real AS whole,
        coalesce(1 - (vector.embedding <=> %(rest)s::halfvec), 0)::real AS rest
    FROM chunk LEFT JOIN LATERAL (
        SELECT embedding FROM knowledge_chunk
        WHERE knowledge_space_id = %(space_id)s AND id = chunk.id LIMIT 1
    ) AS vector ON true
), mention AS (
    SELECT chunk.place AS chunk, coalesce(node.place, -1) AS node, stored.titular
    FROM chunk CROSS JOIN LATERAL (
        SELECT node_id, titular FROM node_mention
        WHERE knowledge_space_id = %(space_id)s AND chunk_id = chunk.id LIMIT %(per_chunk)s
    ) AS stored
    LEFT JOIN node ON node.id = stored.node_id
), fact AS (
    SELECT node.place AS begin, other.place AS finish, coalesce(chunk.place, -1) AS chunk,
        coalesce(1 - (vector.embedding <=> %(question)s::halfvec), 0)::real AS likeness
    FROM node CROSS JOIN LATERAL (
        SELECT id, to_node_id, evidence_chunk_id FROM graph_edge
        WHERE knowledge_space_id = %(space_id)s AND from_node_id = node.id AND deleted_at IS NULL
          AND (invalidated_at IS NULL OR invalidated_at > %(as_of)s::timestamptz)
          AND (%(as_of)s::timestamptz IS NULL OR valid_from IS NULL OR valid_from <= %(as_of)s::timestamptz)
        ORDER BY weight DESC LIMIT %(edges_per_node)s
    ) AS edge
    JOIN node AS other ON other.id = edge.to_node_id
    LEFT JOIN chunk ON chunk.id = edge.evidence_chunk_id
    LEFT JOIN LATERAL (
        SELECT embedding FROM fact_vector
        WHERE knowledge_space_id = %(space_id)s AND edge_id = edge.id
          AND (chunk.entered OR node.entered OR other.entered) LIMIT 1
    ) AS vector ON true
)
SELECT
    (SELECT string_agg(float4send(whole) || float4send(rest), '' ORDER BY place) FROM likeness),
    (SELECT string_agg(int4send(chunk) || int4send(node) || int4send(titular::int), '') FROM mention),
    (SELECT string_agg(int4send(begin) || int4send(finish) || int4send(chunk) || float4send(likeness), '') FROM fact)

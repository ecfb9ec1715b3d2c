-- recount_nodes: recount mentions, votes and edges of a few nodes whose rows were moved.
WITH vote AS (
    SELECT node_id, name, node_type, sense, count(*) AS mentions FROM node_mention
    WHERE knowledge_space_id = %(space_id)s AND node_id = ANY(%(nodes)s::uuid[])
    GROUP BY node_id, name, node_type, sense
), by_name AS (
    SELECT node_id, jsonb_object_agg(name, mentions) AS votes, sum(mentions) AS total
    FROM (SELECT node_id, name, sum(mentions) AS mentions FROM vote GROUP BY node_id, name) AS t GROUP BY node_id
), by_type AS (
    SELECT node_id, jsonb_object_agg(node_type, mentions) AS votes
    FROM (SELECT node_id, node_type, sum(mentions) AS mentions FROM vote WHERE node_type IS NOT NULL
          GROUP BY node_id, node_type) AS t GROUP BY node_id
), by_sense AS (
    SELECT node_id, jsonb_build_object('senseVotes', jsonb_object_agg(sense, mentions)) AS votes
    FROM (SELECT node_id, sense, sum(mentions) AS mentions FROM vote WHERE sense IS NOT NULL
          GROUP BY node_id, sense) AS t GROUP BY node_id
), less_trusted AS (
    -- Votes of documents with a trust below 1, by trust.
    SELECT m.node_id, d.trust, m.name, m.node_type, m.sense
    FROM document d
    JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.document_id = d.id
    JOIN node_mention m ON m.knowledge_space_id = %(space_id)s AND m.chunk_id = c.id
    WHERE d.knowledge_space_id = %(space_id)s AND d.trust < 1 AND m.node_id = ANY(%(nodes)s::uuid[])
), by_kind AS (
    SELECT node_id, trust, 'nameVotes' AS kind, name AS value, count(*) AS mentions FROM less_trusted
    GROUP BY node_id, trust, name
    UNION ALL
    SELECT node_id, trust, 'typeVotes', node_type, count(*) FROM less_trusted
    WHERE node_type IS NOT NULL GROUP BY node_id, trust, node_type
    UNION ALL
    SELECT node_id, trust, 'senseVotes', sense, count(*) FROM less_trusted
    WHERE sense IS NOT NULL GROUP BY node_id, trust, sense
), by_trust AS (
    SELECT node_id, jsonb_build_object('lessTrustedVotes', jsonb_object_agg(trust::text, votes)) AS votes
    FROM (SELECT node_id, trust, jsonb_object_agg(kind, votes) AS votes
          FROM (SELECT node_id, trust, kind, jsonb_object_agg(value, mentions) AS votes FROM by_kind
                GROUP BY node_id, trust, kind) AS t GROUP BY node_id, trust) AS t GROUP BY node_id
)
UPDATE graph_node SET
    mention_count = counted.total,
    out_degree = (SELECT count(*) FROM graph_edge e
                  WHERE e.knowledge_space_id = %(space_id)s AND e.from_node_id = graph_node.id),
    in_degree = (SELECT count(*) FROM graph_edge e
                 WHERE e.knowledge_space_id = %(space_id)s AND e.to_node_id = graph_node.id),
    metadata = (graph_node.metadata - 'senseVotes' - 'lessTrustedVotes') || counted.votes
FROM (
    SELECT wanted.id, coalesce(by_name.total, 0) AS total, jsonb_build_object(
        'nameVotes', coalesce(by_name.votes, '{}'), 'typeVotes', coalesce(by_type.votes, '{}'))
        || coalesce(by_sense.votes, '{}') || coalesce(by_trust.votes, '{}') AS votes
    FROM unnest(%(nodes)s::uuid[]) AS wanted(id)
    LEFT JOIN by_name ON by_name.node_id = wanted.id
    LEFT JOIN by_type ON by_type.node_id = wanted.id
    LEFT JOIN by_sense ON by_sense.node_id = wanted.id
    LEFT JOIN by_trust ON by_trust.node_id = wanted.id
) AS counted
WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = counted.id
RETURNING graph_node.id, graph_node.canonical_name, graph_node.node_type, graph_node.mention_count, graph_node.metadata

-- list_next_nodes_to_evaluate: the next nodes to evaluate, by id, with their state: facts changed, or a deferred evaluation is due.
WITH wanted AS MATERIALIZED (
    (SELECT note.node_id, note.change FROM changed_node AS note
     WHERE note.knowledge_space_id = %(space_id)s AND note.node_id > %(after)s
     ORDER BY note.node_id LIMIT %(nodes)s)
    UNION ALL
    (SELECT due.node_id, NULL FROM node_summary AS due
     WHERE due.knowledge_space_id = %(space_id)s AND due.due_at <= %(now)s AND due.node_id > %(after)s
       AND NOT EXISTS (
           SELECT 1 FROM changed_node AS noted
           WHERE noted.knowledge_space_id = %(space_id)s AND noted.node_id = due.node_id
       )
     ORDER BY due.node_id LIMIT %(nodes)s)
), sized AS (
    SELECT wanted.node_id, wanted.change, node.canonical_name, node.node_type,
        -- A batch holds so many facts, whether of a few hubs or of many others.
        sum(least(node.out_degree + node.in_degree, %(most)s)) OVER (ORDER BY wanted.node_id) AS facts,
        row_number() OVER (ORDER BY wanted.node_id) AS place
    FROM wanted
    JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = wanted.node_id
)
SELECT sized.node_id, sized.change, sized.canonical_name, sized.node_type, state.facts_hash,
    CASE WHEN state.vector_set = %(vector_set)s THEN state.embedding END::text,
    state.vector_of, state.summarised_at, state.recent, state.in_burst, state.held, state.pending, state.last_reason,
    state.seen_claims, state.episodes
FROM sized
-- By its key and nothing else: the planner does not know how few nodes those are.
LEFT JOIN LATERAL (
    SELECT own.* FROM node_summary AS own
    WHERE own.knowledge_space_id = %(space_id)s AND own.node_id = sized.node_id LIMIT 1
) AS state ON true
WHERE (sized.facts <= %(facts)s AND sized.place <= %(nodes)s) OR sized.place = 1
ORDER BY sized.node_id

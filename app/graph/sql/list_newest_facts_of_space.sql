-- list_newest_facts_of_space: the sentences of the newest current facts, each with the types of its ends.
SELECT fact.quote, source.node_type, target.node_type
FROM (
    SELECT id, from_node_id, to_node_id, metadata ->> 'quote' AS quote FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND edge_holds(deleted_at, invalidated_at) AND evidence_chunk_id IS NOT NULL
    ORDER BY id DESC LIMIT %(limit)s
) AS fact
JOIN graph_node AS source
    ON source.knowledge_space_id = %(space_id)s AND source.id = fact.from_node_id
JOIN graph_node AS target
    ON target.knowledge_space_id = %(space_id)s AND target.id = fact.to_node_id
ORDER BY fact.id DESC

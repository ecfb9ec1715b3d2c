-- list_strongest_facts_of_nodes: the strongest claims about these nodes, each with its other end and the tags of that.
SELECT given.id, edge.relation_type, edge.outgoing, other.canonical_name, other.node_type, edge.quote,
    ARRAY(
        SELECT tag.tag FROM node_tag AS tag
        WHERE tag.knowledge_space_id = %(space_id)s AND tag.node_id = other.id ORDER BY tag.ordinal
    )
FROM unnest(%(nodes)s::uuid[]) AS given (id)
CROSS JOIN LATERAL (
    (SELECT id, to_node_id AS other_id, relation_type, true AS outgoing, weight, metadata ->> 'quote' AS quote
     FROM graph_edge
     WHERE knowledge_space_id = %(space_id)s AND from_node_id = given.id
       AND edge_holds(deleted_at, invalidated_at) AND evidence_chunk_id IS NOT NULL
     ORDER BY weight DESC LIMIT %(per_node)s)
    UNION ALL
    (SELECT id, from_node_id, relation_type, false, weight, metadata ->> 'quote'
     FROM graph_edge
     WHERE knowledge_space_id = %(space_id)s AND to_node_id = given.id AND from_node_id <> given.id
       AND edge_holds(deleted_at, invalidated_at) AND evidence_chunk_id IS NOT NULL
     ORDER BY weight DESC LIMIT %(per_node)s)
) AS edge
JOIN graph_node AS other
    ON other.knowledge_space_id = %(space_id)s AND other.id = edge.other_id
ORDER BY given.id, edge.weight DESC, edge.id

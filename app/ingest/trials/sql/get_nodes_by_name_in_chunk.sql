-- get_nodes_by_name_in_chunk: the node that each name refers to in its chunk: one that the chunk mentions, else the oldest with that name.
SELECT given.chunk_id, given.name, named.node_id
FROM unnest(%(chunks)s::uuid[], %(names)s::text[]) AS given (chunk_id, name)
CROSS JOIN LATERAL (
    SELECT name.node_id FROM node_name AS name
    WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name = given.name
    ORDER BY NOT EXISTS (
        SELECT 1 FROM node_mention AS mention
        WHERE mention.knowledge_space_id = %(space_id)s AND mention.chunk_id = given.chunk_id
          AND mention.node_id = name.node_id
    ), name.node_id
    LIMIT 1
) AS named

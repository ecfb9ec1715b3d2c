-- nodes_named: the node that each name means in its chunk: one that the chunk names, else the oldest so called.
SELECT given.chunk_id, given.name, named.node_id
FROM unnest(%(chunks)s::uuid[], %(names)s::text[]) AS given (chunk_id, name)
CROSS JOIN LATERAL (
    SELECT name.node_id FROM node_name AS name
    LEFT JOIN node_mention AS mention ON mention.knowledge_space_id = %(space_id)s
        AND mention.chunk_id = given.chunk_id AND mention.node_id = name.node_id
    WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name = given.name
    ORDER BY mention.node_id IS NULL, name.node_id LIMIT 1
) AS named

-- nodes_by_keyword: for each word the best known node with a name that begins with it, out of the first few names.
-- A range of the names' own index: a search inside names would read all names of the space.
SELECT word.word, found.node_id
FROM unnest(%(words)s::text[]) WITH ORDINALITY AS word (word, place)
CROSS JOIN LATERAL (
    SELECT first.node_id FROM (
        SELECT name.node_id FROM node_name AS name
        WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name > word.word || ' '
          AND name.normalised_name < word.word || '!'
        ORDER BY name.normalised_name LIMIT 20
    ) AS first
    JOIN graph_node n ON n.knowledge_space_id = %(space_id)s AND n.id = first.node_id AND n.deleted_at IS NULL
    ORDER BY n.mention_count DESC, n.id LIMIT 1
) AS found
ORDER BY word.place

-- list_nodes_by_name_prefix: for each range of names the most mentioned nodes in it, among its first few names.
-- It reads a range of the index of names: a search inside names would read all names of the space.
SELECT word.word, found.node_id, found.canonical_name
FROM unnest(%(words)s::text[], %(until)s::text[]) WITH ORDINALITY AS word (word, until, place)
CROSS JOIN LATERAL (
    SELECT DISTINCT ON (n.mention_count, n.id) first.node_id, n.canonical_name, n.mention_count FROM (
        SELECT name.node_id FROM node_name AS name
        WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name >= word.word
          AND name.normalised_name < word.until
        ORDER BY name.normalised_name LIMIT 20
    ) AS first
    JOIN graph_node n ON n.knowledge_space_id = %(space_id)s AND n.id = first.node_id
    ORDER BY n.mention_count DESC, n.id LIMIT %(limit)s
) AS found
ORDER BY word.place, found.mention_count DESC, found.node_id

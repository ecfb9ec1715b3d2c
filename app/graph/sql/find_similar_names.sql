-- find_similar_names: for each unknown name whether a text of the space contains it, and the nodes whose names sound similar.
-- A name sounds similar if its `spelling_key` is equal or differs by one sound: deleted, replaced, inserted, or two
-- transposed. Each of these keys is one probe of the index on node_name, which reads a few names at most.
WITH asked AS MATERIALIZED (
    SELECT given.place::int - 1 AS place, given.surface, spelling_key(given.name) AS key
    FROM unnest(%(surfaces)s::text[], %(names)s::text[]) WITH ORDINALITY AS given (surface, name, place)
), sound (letter) AS (
    VALUES ('p'), ('k'), ('t'), ('l'), ('n'), ('r')
), variant AS MATERIALIZED (
    SELECT place, key FROM asked
    UNION SELECT place, left(key, at - 1) || substr(key, at + 1) FROM asked, generate_series(1, length(key)) AS at
    UNION SELECT place, left(key, at - 1) || letter || substr(key, at + 1)
    FROM asked, generate_series(1, length(key)) AS at, sound WHERE substr(key, at, 1) IN (SELECT letter FROM sound)
    UNION SELECT place, left(key, at) || letter || substr(key, at + 1)
    FROM asked, generate_series(1, length(key)) AS at, sound
    UNION SELECT place, left(key, at - 1) || substr(key, at + 1, 1) || substr(key, at, 1) || substr(key, at + 2)
    FROM asked, generate_series(1, length(key) - 1) AS at
    LIMIT %(sounds)s
), likely AS MATERIALIZED (
    SELECT variant.place, named.normalised_name, named.node_id
    FROM variant CROSS JOIN LATERAL (
        SELECT n.normalised_name, n.node_id FROM node_name AS n
        WHERE n.knowledge_space_id = %(space_id)s AND n.spelling_key = variant.key AND variant.key <> ''
        LIMIT %(per_key)s
    ) AS named
    LIMIT %(most)s
), node AS (
    SELECT likely.place, likely.normalised_name, found.*
    FROM likely CROSS JOIN LATERAL (
        SELECT node.id, node.canonical_name, node.node_type, node.metadata::text AS metadata, node.mention_count,
            node.out_degree, node.in_degree, node.confidence, node.source, node.first_seen_at, node.last_seen_at
        FROM graph_node AS node
        WHERE node.knowledge_space_id = %(space_id)s AND node.id = likely.node_id
        LIMIT 1
    ) AS found
)
SELECT asked.place, text.held, node.normalised_name, node.id, node.canonical_name, node.node_type, node.metadata,
    node.mention_count, node.out_degree, node.in_degree, node.confidence, node.source, node.first_seen_at,
    node.last_seen_at
FROM asked
CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM chunk_matches(phraseto_tsquery('pg_catalog.english', search_text(asked.surface)), '{}', 1)
    ) AS held
) AS text
LEFT JOIN node ON node.place = asked.place

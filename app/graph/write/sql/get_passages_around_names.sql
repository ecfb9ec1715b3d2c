-- get_passages_around_names: one chunk that mentions each of these nodes, cut to the surroundings of the name.
SELECT wanted.id, substr(one.text, greatest(1, one.char_start - %(around)s + 1), 2 * %(around)s)
FROM unnest(%(nodes)s::uuid[]) AS wanted(id)
CROSS JOIN LATERAL (
    SELECT c.text, m.char_start FROM node_mention m
    JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = m.chunk_id
    WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = wanted.id
    ORDER BY m.chunk_id LIMIT 1
) AS one

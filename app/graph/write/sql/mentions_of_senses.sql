-- mentions_of_senses: of each of these nodes the mentions that say one of the senses that belong to another one.
SELECT wanted.place, m.chunk_id, m.name FROM unnest(%(places)s::int[], %(nodes)s::uuid[], %(senses)s::text[])
    AS wanted(place, node_id, sense)
JOIN node_mention m ON m.knowledge_space_id = %(space_id)s AND m.node_id = wanted.node_id AND m.sense = wanted.sense
ORDER BY wanted.place, m.chunk_id

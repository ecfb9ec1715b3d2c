-- list_mentions_of_senses: the mentions of each node that state one of the senses of another node.
SELECT wanted.place, m.chunk_id, m.name FROM unnest(%(places)s::int[], %(nodes)s::uuid[], %(senses)s::text[])
    AS wanted(place, node_id, sense)
JOIN node_mention m ON m.knowledge_space_id = %(space_id)s AND m.node_id = wanted.node_id AND m.sense = wanted.sense
ORDER BY wanted.place, m.chunk_id

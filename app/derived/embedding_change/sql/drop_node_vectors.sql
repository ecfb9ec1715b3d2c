-- drop_node_vectors: delete those of the next node vectors, by key, that are in none of these sets; return the last key examined.
WITH part AS MATERIALIZED (
    SELECT v.node_id, v.vector_set FROM node_vector v
    WHERE v.knowledge_space_id = %(space_id)s AND (v.node_id, v.vector_set) > (%(after)s::uuid, %(after_set)s::int)
    ORDER BY v.node_id, v.vector_set LIMIT %(limit)s
), dropped AS (
    DELETE FROM node_vector v USING part
    WHERE v.knowledge_space_id = %(space_id)s AND v.node_id = part.node_id AND v.vector_set = part.vector_set
      AND part.vector_set <> ALL(%(keep)s::int[])
    RETURNING v.node_id
)
SELECT part.node_id, part.vector_set, (SELECT count(*) FROM dropped)
FROM part ORDER BY part.node_id DESC, part.vector_set DESC LIMIT 1

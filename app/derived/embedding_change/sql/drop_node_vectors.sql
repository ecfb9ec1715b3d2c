-- drop_node_vectors: remove those of the next vectors of nodes, by key, that are of none of these sets; the last one looked at.
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

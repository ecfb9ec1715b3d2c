-- count_vectors: how many vectors of one set a space has in one of its tables, counted to a bound.
-- `source_vectors` stands for the name that the caller puts in.
SELECT count(*) FROM (
    SELECT 1 FROM source_vectors AS v WHERE v.knowledge_space_id = %(space_id)s AND v.vector_set = %(vector_set)s LIMIT %(bound)s
) AS bounded

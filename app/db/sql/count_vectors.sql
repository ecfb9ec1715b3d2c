-- count_vectors: the number of vectors of one set that a space has in one of its tables, counted up to a bound.
-- `source_vectors` stands for the name that the caller puts in.
SELECT count(*) FROM (
    SELECT 1 FROM source_vectors AS v WHERE v.knowledge_space_id = %(space_id)s AND v.vector_set = %(vector_set)s LIMIT %(bound)s
) AS bounded

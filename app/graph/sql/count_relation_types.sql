-- count_relation_types: the number of edges of each relation type, their average strength, and how many have evidence.
SELECT relation_type, count(*), avg(weight), avg(confidence), count(evidence_chunk_id)
FROM graph_edge
WHERE knowledge_space_id = %(space_id)s AND edge_holds(deleted_at, invalidated_at)
GROUP BY relation_type
ORDER BY count(*) DESC, relation_type

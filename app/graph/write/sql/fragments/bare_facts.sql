-- bare_facts: the facts of these chunks without a vector in the set.
SELECT e.knowledge_space_id, e.id, e.from_node_id, e.relation_type, e.to_node_id
FROM graph_edge e
WHERE e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id = ANY(%(chunks)s::uuid[]) AND e.deleted_at IS NULL
  AND (
      SELECT v.edge_id FROM fact_vector v
      WHERE v.knowledge_space_id = %(space_id)s AND v.edge_id = e.id AND v.vector_set = %(vector_set)s LIMIT 1
  ) IS NULL

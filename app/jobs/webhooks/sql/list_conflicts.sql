-- list_conflicts: the conflicts of an ingest, whose documents state a value that contradicts another.
-- A conflict is another standing value of a relation that the space declares single-valued. 100 at most.
WITH stated AS (
    SELECT DISTINCT edge.from_node_id, edge.relation_type
    FROM document
    JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.document_id = document.id
    JOIN graph_edge AS edge ON edge.knowledge_space_id = %(space_id)s AND edge.evidence_chunk_id = chunk.id
    WHERE document.knowledge_space_id = %(space_id)s AND document.job_id = %(job)s::uuid
      AND edge.relation_type = ANY(%(relations)s::text[]) AND edge_holds(edge.deleted_at, edge.invalidated_at)
)
SELECT stated.from_node_id, stated.relation_type FROM stated
WHERE EXISTS (
    SELECT 1 FROM graph_edge AS value
    JOIN graph_edge AS other ON other.knowledge_space_id = %(space_id)s AND other.from_node_id = stated.from_node_id
        AND other.relation_type = stated.relation_type AND edge_holds(other.deleted_at, other.invalidated_at)
        AND other.to_node_id > value.to_node_id AND NOT EXISTS (
            SELECT 1 FROM graph_edge AS lies
            WHERE lies.knowledge_space_id = %(space_id)s AND lies.relation_type = ANY(%(lies_in)s::text[]) AND lies.polarity = 'asserted'
              AND (lies.from_node_id = value.to_node_id AND lies.to_node_id = other.to_node_id
                   OR lies.from_node_id = other.to_node_id AND lies.to_node_id = value.to_node_id)
              AND edge_holds(lies.deleted_at, lies.invalidated_at))
    WHERE value.knowledge_space_id = %(space_id)s AND value.from_node_id = stated.from_node_id
      AND value.relation_type = stated.relation_type AND edge_holds(value.deleted_at, value.invalidated_at)
)
ORDER BY stated.from_node_id, stated.relation_type LIMIT 100

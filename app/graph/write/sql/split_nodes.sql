-- split_nodes: move the mentions, edges and attributes of these chunks from a node to another, and copy the node's vectors.
WITH moved AS MATERIALIZED (
    SELECT * FROM unnest(%(nodes)s::uuid[], %(new_nodes)s::uuid[], %(chunks)s::uuid[]) AS t(node, new_node, chunk)
), mentioned AS (
    UPDATE node_mention m SET node_id = moved.new_node FROM moved
    WHERE m.knowledge_space_id = %(space_id)s AND m.node_id = moved.node AND m.chunk_id = moved.chunk
      AND NOT EXISTS (SELECT 1 FROM node_mention o WHERE o.knowledge_space_id = %(space_id)s
                      AND o.node_id = moved.new_node AND o.chunk_id = moved.chunk)
), described AS (
    UPDATE node_attribute a SET node_id = moved.new_node FROM moved
    WHERE a.knowledge_space_id = %(space_id)s AND a.node_id = moved.node AND a.chunk_id = moved.chunk
      AND NOT EXISTS (SELECT 1 FROM node_attribute o WHERE o.knowledge_space_id = %(space_id)s
                      AND o.node_id = moved.new_node AND o.chunk_id = moved.chunk AND o.name = a.name
                      AND o.char_start = a.char_start)
), ends AS (
    -- One UPDATE moves both ends, because a statement changes a row only once.
    SELECT e.id, start.new_node AS from_node, finish.new_node AS to_node
    FROM graph_edge e
    LEFT JOIN moved AS start ON start.node = e.from_node_id AND start.chunk = e.evidence_chunk_id
    LEFT JOIN moved AS finish ON finish.node = e.to_node_id AND finish.chunk = e.evidence_chunk_id
    WHERE e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id = ANY(%(chunks)s::uuid[])
      AND (start.node IS NOT NULL OR finish.node IS NOT NULL)
)
UPDATE graph_edge e SET from_node_id = coalesce(ends.from_node, e.from_node_id),
    to_node_id = coalesce(ends.to_node, e.to_node_id)
FROM ends WHERE e.knowledge_space_id = %(space_id)s AND e.id = ends.id;
INSERT INTO node_vector (knowledge_space_id, node_id, vector_set, embedding)
SELECT v.knowledge_space_id, pair.new_node, v.vector_set, v.embedding
FROM (SELECT DISTINCT t.node, t.new_node FROM unnest(%(nodes)s::uuid[], %(new_nodes)s::uuid[]) AS t(node, new_node)) AS pair
JOIN node_vector v ON v.knowledge_space_id = %(space_id)s AND v.node_id = pair.node
ORDER BY pair.new_node, v.vector_set
ON CONFLICT DO NOTHING

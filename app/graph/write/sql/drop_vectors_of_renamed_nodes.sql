-- drop_vectors_of_renamed_nodes: delete the vectors of the old names and of facts with them, and suggested tags.
-- Returns the nodes whose written texts use the old names: these nodes, the renamed ones and their neighbours.
-- The source of a suggested tag is unknown, so all of these nodes lose theirs.
WITH renamed AS MATERIALIZED (
    SELECT unnest(%(renamed)s::uuid[]) AS id
), around AS MATERIALIZED (
    SELECT edge.id, edge.to_node_id AS other FROM renamed JOIN graph_edge edge
        ON edge.knowledge_space_id = %(space_id)s AND edge.from_node_id = renamed.id
    UNION ALL
    SELECT edge.id, edge.from_node_id FROM renamed JOIN graph_edge edge
        ON edge.knowledge_space_id = %(space_id)s AND edge.to_node_id = renamed.id
), facts AS (
    DELETE FROM fact_vector USING around
    WHERE fact_vector.knowledge_space_id = %(space_id)s AND fact_vector.edge_id = around.id
), names AS (
    DELETE FROM node_vector USING renamed
    WHERE node_vector.knowledge_space_id = %(space_id)s AND node_vector.node_id = renamed.id
), every AS MATERIALIZED (
    SELECT unnest(%(nodes)s::uuid[]) AS id UNION SELECT id FROM renamed UNION SELECT other FROM around
), tags AS (
    DELETE FROM node_tag USING every
    WHERE node_tag.knowledge_space_id = %(space_id)s AND node_tag.node_id = every.id AND node_tag.origin <> 'person'
)
SELECT id FROM every ORDER BY id

-- set_attributes_in_metadata_by_votes: set each attribute in nodes' metadata to the winning value.
-- The most trusted documents decide, of those the latest dated chunk, else most of their chunks, and the smallest value
-- on a tie. Values ended by a person and statements do not count.
UPDATE graph_node SET
    metadata = CASE WHEN said.attributes IS NULL THEN graph_node.metadata - 'attributes'
        ELSE jsonb_set(graph_node.metadata, '{attributes}', said.attributes) END
FROM (
    SELECT wanted.id, (
        SELECT jsonb_object_agg(most.name, most.value) FROM (
            SELECT DISTINCT ON (a.name) a.name, a.value FROM node_attribute a
            LEFT JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = a.chunk_id
            LEFT JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
            WHERE a.knowledge_space_id = %(space_id)s AND a.node_id = wanted.id AND a.confidence IS NULL AND a.ended_at IS NULL
            ORDER BY a.name, d.trust DESC NULLS LAST, a.stated_at DESC NULLS LAST,
                count(*) OVER (PARTITION BY a.name, a.value, d.trust) DESC, a.value
        ) AS most
    ) AS attributes
    FROM unnest(%(nodes)s::uuid[]) AS wanted(id)
) AS said
WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = said.id
  AND graph_node.metadata -> 'attributes' IS DISTINCT FROM said.attributes

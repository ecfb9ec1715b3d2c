-- list_documents_of_communities: the documents that name most of the central nodes of each community, by a bounded number of mentions of each node.
WITH core AS MATERIALIZED (
    SELECT * FROM unnest(%(communities)s::uuid[], %(nodes)s::uuid[]) AS t(community_id, node_id)
), named AS (
    SELECT DISTINCT core.community_id, core.node_id, chunk.document_id FROM core
    CROSS JOIN LATERAL (
        SELECT chunk_id FROM node_mention
        WHERE knowledge_space_id = %(space_id)s AND node_id = core.node_id
        ORDER BY chunk_id DESC LIMIT %(per_node)s
    ) AS mention
    JOIN knowledge_chunk AS chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = mention.chunk_id
), ranked AS (
    SELECT community_id, document_id, count(*) AS nodes,
        row_number() OVER (PARTITION BY community_id ORDER BY count(*) DESC, document_id) AS place
    FROM named GROUP BY community_id, document_id
)
SELECT ranked.community_id, coalesce(nullif(document.title, ''), document.source_uri), ranked.nodes
FROM ranked
JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = ranked.document_id
WHERE ranked.place <= %(limit)s AND coalesce(nullif(document.title, ''), document.source_uri) IS NOT NULL
ORDER BY ranked.community_id, ranked.place

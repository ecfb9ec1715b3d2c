-- fold_sizes: put the rows of the space's size together into one; those that somebody else is putting together stay.
WITH folded AS (
    DELETE FROM space_size AS s USING (
        SELECT id FROM space_size
        WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s
        LIMIT 10000
        FOR UPDATE SKIP LOCKED
    ) AS free
    WHERE s.tenant_id = %(tenant_id)s AND s.knowledge_space_id = %(space_id)s AND s.id = free.id
    RETURNING s.knowledge_space_id, s.documents, s.bytes, s.chunks, s.nodes
)
INSERT INTO space_size (tenant_id, knowledge_space_id, id, documents, bytes, chunks, nodes)
SELECT %(tenant_id)s, folded.knowledge_space_id, %(row)s::uuid, sum(documents), sum(bytes), sum(chunks), sum(nodes)
FROM folded
GROUP BY folded.knowledge_space_id

-- compact_size_rows: merge the rows of the space's size into one; rows that are locked by another merge are skipped.
WITH free AS MATERIALIZED (
    SELECT id FROM space_size
    WHERE tenant_id = %(tenant_id)s AND knowledge_space_id = %(space_id)s
    LIMIT 10000
    FOR UPDATE SKIP LOCKED
), kept AS (
    SELECT id FROM free LIMIT 1
), folded AS (
    DELETE FROM space_size AS s USING free, kept
    WHERE s.tenant_id = %(tenant_id)s AND s.knowledge_space_id = %(space_id)s AND s.id = free.id AND s.id <> kept.id
    RETURNING s.documents, s.bytes, s.chunks, s.nodes
), added AS (
    SELECT sum(documents) AS documents, sum(bytes) AS bytes, sum(chunks) AS chunks, sum(nodes) AS nodes FROM folded
    HAVING count(*) > 0
)
UPDATE space_size AS s SET documents = s.documents + added.documents, bytes = s.bytes + added.bytes,
    chunks = s.chunks + added.chunks, nodes = s.nodes + added.nodes
FROM added, kept
WHERE s.tenant_id = %(tenant_id)s AND s.knowledge_space_id = %(space_id)s AND s.id = kept.id

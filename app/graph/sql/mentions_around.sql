-- mentions_around: who is named where in the chunks that name these nodes, as blocks of chunks, nodes and first characters.
-- Of each node the newest `chunks` are gone through, and of a chunk one name more than pairs any of its names. A mention
-- without words is the topic of a document in a chunk that does not name it.
SELECT string_agg(uuid_send(chunk.id), ''::bytea), string_agg(uuid_send(named.node_id), ''::bytea),
    string_agg(int4send(named.char_start), ''::bytea)
FROM (
    SELECT DISTINCT own.chunk_id AS id FROM unnest(%(nodes)s::uuid[]) AS node(id)
    CROSS JOIN LATERAL (
        SELECT chunk_id FROM node_mention WHERE knowledge_space_id = %(space_id)s AND node_id = node.id
        ORDER BY chunk_id DESC LIMIT %(chunks)s
    ) AS own
) AS chunk
CROSS JOIN LATERAL (
    SELECT node_id, char_start FROM node_mention
    WHERE knowledge_space_id = %(space_id)s AND chunk_id = chunk.id AND char_end > char_start LIMIT %(names)s
) AS named

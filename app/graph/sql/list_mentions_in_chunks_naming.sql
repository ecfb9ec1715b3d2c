-- list_mentions_in_chunks_naming: all mentions in the chunks that mention these nodes, as binary columns of chunks, nodes and first characters.
-- Only the newest `chunks` of each node are read, and one name more per chunk than is paired. A mention without words
-- is the topic of a document in a chunk that does not name it.
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

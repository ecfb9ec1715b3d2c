-- count_tokens_and_edges_of_newest_chunks: tokens of the newest chunks, and how many edges rest on them.
SELECT coalesce(sum(newest.token_count), 0)::bigint, coalesce(sum(stated.edges), 0)::bigint
FROM (
    SELECT id, token_count FROM knowledge_chunk
    WHERE knowledge_space_id = %(space_id)s ORDER BY id DESC LIMIT %(chunks)s
) AS newest
CROSS JOIN LATERAL (
    SELECT count(*) AS edges FROM graph_edge
    WHERE knowledge_space_id = %(space_id)s AND evidence_chunk_id = newest.id
      AND edge_holds(deleted_at, invalidated_at)
) AS stated

-- list_split_texts_without_node: for persons' splits whose part is gone or erased, the chunks with a text that mentioned the part.
-- A split's seals come only with its first chunk. A part that a person has merged since is not gone.
SELECT split.id, chunk.id, chunk.text, split.decided_by,
    CASE WHEN row_number() OVER (PARTITION BY split.id ORDER BY chunk.id) = 1 THEN split.seals END
FROM node_split split
JOIN knowledge_chunk chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = ANY(%(chunks)s::uuid[])
    AND chunk.content_hash = ANY(split.content_hashes)
WHERE split.knowledge_space_id = %(space_id)s AND split.reason = 'person' AND split.undone_at IS NULL
  AND NOT EXISTS (
      SELECT 1 FROM graph_node part
      WHERE part.knowledge_space_id = %(space_id)s AND part.id = split.new_node_id AND NOT (
          -- include is_forgotten
      ))
  AND NOT EXISTS (
      SELECT 1 FROM node_merge merge
      WHERE merge.knowledge_space_id = %(space_id)s AND merge.loser_node_id = split.new_node_id
        AND merge.undone_at IS NULL)
ORDER BY split.id, chunk.id

-- find_names_in_texts: those of these names that occur as words in a text, heading or title of a chunk that mentions the node.
-- An occurrence inside a longer name of the node does not count: "Acme Corporation" is no evidence for "Acme".
SELECT wanted.node_id, wanted.name
FROM unnest(%(nodes)s::uuid[], %(names)s::text[], %(longer)s::text[]) AS wanted(node_id, name, longer)
CROSS JOIN LATERAL (
    SELECT '(^|\W)' || regexp_replace(wanted.name, '([^\w\s])', '\\\1', 'g') || '(\W|$)' AS pattern,
        regexp_replace(wanted.longer, '([^\w\s|])', '\\\1', 'g') AS longer
) AS sought
WHERE EXISTS (
    SELECT 1 FROM node_mention mention
    JOIN knowledge_chunk chunk ON chunk.knowledge_space_id = %(space_id)s AND chunk.id = mention.chunk_id
    JOIN document ON document.knowledge_space_id = %(space_id)s AND document.id = chunk.document_id
    WHERE mention.knowledge_space_id = %(space_id)s AND mention.node_id = wanted.node_id
      AND regexp_replace(
          concat_ws(E'\n', chunk.text, array_to_string(chunk.heading_path, E'\n'), document.title), sought.longer, '', 'gi'
      ) ~* sought.pattern
)

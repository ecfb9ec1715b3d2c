-- search_nodes: a page of the nodes that have a name or alias with the given words in it, most mentioned first.
WITH named AS MATERIALIZED (
    SELECT DISTINCT name.node_id AS id FROM node_name AS name
    WHERE name.knowledge_space_id = %(space_id)s AND name.normalised_name LIKE %(pattern)s::text ESCAPE '!'
)
SELECT
    node.id, node.canonical_name, node.node_type, node.metadata::text, node.mention_count, node.out_degree, node.in_degree,
    node.confidence, node.source, node.first_seen_at, node.last_seen_at
FROM named
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = named.id
WHERE true
  AND node.deleted_at IS NULL
  AND (%(node_type)s::text IS NULL OR node.node_type = %(node_type)s::text)
  AND (%(at_least)s::int IS NULL OR node.mention_count >= %(at_least)s::int)
  AND (%(below)s::int IS NULL OR node.mention_count < %(below)s::int)
  AND (%(tag)s::text IS NULL OR EXISTS (
      SELECT 1 FROM node_tag AS tag
      WHERE tag.knowledge_space_id = %(space_id)s AND tag.node_id = node.id AND tag.tag = %(tag)s::text))
  AND (%(after_id)s::uuid IS NULL OR node.mention_count <= %(after_count)s::int
       AND (node.mention_count < %(after_count)s::int OR node.id > %(after_id)s::uuid))
ORDER BY node.mention_count DESC, node.id
LIMIT %(limit)s

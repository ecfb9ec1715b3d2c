-- find_tags: the tags that begin with one of the prefixes and their node counts, most used first.
SELECT tag.tag, count(DISTINCT tag.node_id) AS nodes
FROM unnest(%(prefixes)s::text[]) AS prefix(begins)
JOIN node_tag AS tag ON tag.knowledge_space_id = %(space_id)s AND starts_with(tag.tag, prefix.begins)
JOIN graph_node AS node
    ON node.knowledge_space_id = %(space_id)s AND node.id = tag.node_id
GROUP BY tag.tag
ORDER BY nodes DESC, tag.tag
LIMIT %(limit)s

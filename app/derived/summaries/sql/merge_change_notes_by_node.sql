-- merge_change_notes_by_node: merge the next change notes into one for each node; return the number of merged notes.
-- The graph is locked, so that both find the same notes.
INSERT INTO changed_node AS standing (knowledge_space_id, node_id, change)
SELECT node.knowledge_space_id, node.id, %(mark)s::uuid
FROM (
    SELECT DISTINCT unnest(next.note) AS id FROM (
        SELECT waiting.nodes AS note, sum(cardinality(waiting.nodes)) OVER (ORDER BY waiting.id) AS nodes,
            row_number() OVER (ORDER BY waiting.id) AS place
        FROM (
            SELECT id, nodes FROM touched_nodes WHERE knowledge_space_id = %(space_id)s ORDER BY id LIMIT %(notes)s
        ) AS waiting
    ) AS next
    WHERE next.nodes <= %(nodes)s OR next.place = 1
) AS named
-- What went with its edges is not to be looked at.
JOIN graph_node AS node ON node.knowledge_space_id = %(space_id)s AND node.id = named.id
ORDER BY node.id
ON CONFLICT (knowledge_space_id, node_id) DO UPDATE SET change = excluded.change;
WITH next AS MATERIALIZED (
    SELECT waiting.id, sum(cardinality(waiting.nodes)) OVER (ORDER BY waiting.id) AS nodes,
        row_number() OVER (ORDER BY waiting.id) AS place
    FROM (
        SELECT id, nodes FROM touched_nodes WHERE knowledge_space_id = %(space_id)s ORDER BY id LIMIT %(notes)s
    ) AS waiting
), taken AS (
    DELETE FROM touched_nodes USING next
    WHERE touched_nodes.knowledge_space_id = %(space_id)s AND touched_nodes.id = next.id
      AND (next.nodes <= %(nodes)s OR next.place = 1)
    RETURNING touched_nodes.id
)
SELECT count(*) FROM taken

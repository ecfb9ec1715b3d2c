-- mark_merges_of_names_undone: mark merges as undone that rest on texts and of whose two nodes one was called by a name that came free.
WITH freed AS (
    SELECT node_id, array_agg(name) AS names FROM unnest(%(nodes)s::uuid[], %(names)s::text[]) AS given(node_id, name)
    GROUP BY node_id
)
UPDATE node_merge SET undone_at = now(), undone_by = 'rules' FROM freed
WHERE node_merge.knowledge_space_id = %(space_id)s AND node_merge.winner_node_id = freed.node_id
  AND node_merge.undone_at IS NULL AND node_merge.reason IN ('alias', 'string')
  AND (node_merge.loser_name = ANY(freed.names)) <> (node_merge.winner ->> 'canonical_name' = ANY(freed.names))

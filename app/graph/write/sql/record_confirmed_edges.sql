-- record_confirmed_edges: record in the ledger which edges merges confirmed, so that undoing can revert it.
UPDATE node_merge SET confirmed_edges = ARRAY(
    SELECT DISTINCT every.edge FROM (
        SELECT t.edge FROM unnest(%(merges)s::uuid[], %(edges)s::uuid[]) AS t(merge, edge) WHERE t.merge = node_merge.id
        UNION ALL SELECT unnest(node_merge.confirmed_edges)) AS every ORDER BY every.edge)
WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(merges)s::uuid[])

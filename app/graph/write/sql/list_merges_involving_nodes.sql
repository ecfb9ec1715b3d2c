-- list_merges_involving_nodes: the ledger rows of merges into or of these nodes, and of merges into those before, with all columns.
WITH RECURSIVE concerned AS (
    SELECT m.id, m.loser_node_id FROM node_merge m
    WHERE m.knowledge_space_id = %(space_id)s
      AND (m.winner_node_id = ANY(%(nodes)s::uuid[]) OR m.loser_node_id = ANY(%(nodes)s::uuid[]))
    UNION
    SELECT m.id, m.loser_node_id FROM concerned
    JOIN node_merge m ON m.knowledge_space_id = %(space_id)s AND m.winner_node_id = concerned.loser_node_id
)
SELECT m.id, m.winner_node_id, m.loser_node_id, m.loser_name, m.loser_type, m.loser, m.winner, m.names, m.winner_names,
    m.mentions, m.winner_mentions, m.edges_from, m.edges_to, m.loops, m.confirmed_edges,
    m.created_at, m.undone_at, m.graph_revision
FROM concerned JOIN node_merge m ON m.knowledge_space_id = %(space_id)s AND m.id = concerned.id
ORDER BY m.graph_revision, m.id

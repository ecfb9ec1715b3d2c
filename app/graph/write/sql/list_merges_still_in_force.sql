-- list_merges_still_in_force: the merges in force into the winner of one of them, in order, with all that undoing needs.
SELECT m.id, m.winner_node_id, m.loser_node_id, m.loser_name, m.loser_type, m.loser, m.winner, m.names, m.winner_names,
    m.mentions, m.winner_mentions, m.edges_from, m.edges_to, m.loops, m.confirmed_edges,
    m.created_at, m.undone_at, m.graph_revision
FROM node_merge own
JOIN node_merge m ON m.knowledge_space_id = %(space_id)s AND m.winner_node_id = own.winner_node_id
    AND (m.undone_at IS NULL OR m.id = own.id)
WHERE own.knowledge_space_id = %(space_id)s AND own.id = %(merge)s
ORDER BY m.graph_revision, m.id

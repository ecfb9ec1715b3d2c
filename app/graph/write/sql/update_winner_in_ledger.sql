-- update_winner_in_ledger: copy what a ledger row to be undone records about the winner to the rows in force.
UPDATE node_merge SET winner = t.winner::jsonb, winner_names = t.names::jsonb,
    winner_mentions = t.mentions::jsonb, loops = t.loops::jsonb
FROM unnest(%(ids)s::uuid[], %(winners)s::text[], %(names)s::text[], %(mentions)s::text[],
    %(loops)s::text[]) AS t(id, winner, names, mentions, loops)
WHERE node_merge.knowledge_space_id = %(space_id)s AND node_merge.id = t.id

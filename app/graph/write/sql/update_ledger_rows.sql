-- update_ledger_rows: rewrite rows of the ledger of merges without what was erased.
UPDATE node_merge SET loser_name = t.loser_name, loser = t.loser::jsonb, winner = t.winner::jsonb, names = t.names::jsonb,
    winner_names = t.winner_names::jsonb, mentions = t.mentions::jsonb, winner_mentions = t.winner_mentions::jsonb,
    loops = t.loops::jsonb,
    vectors = CASE WHEN node_merge.loser_name = t.loser_name THEN node_merge.vectors ELSE '[]' END
FROM unnest(%(ids)s::uuid[], %(loser_names)s::text[], %(losers)s::text[], %(winners)s::text[], %(names)s::text[],
    %(winner_names)s::text[], %(mentions)s::text[], %(winner_mentions)s::text[], %(loops)s::text[])
    AS t(id, loser_name, loser, winner, names, winner_names, mentions, winner_mentions, loops)
WHERE node_merge.knowledge_space_id = %(space_id)s AND node_merge.id = t.id

-- list_runs: the newest runs, each with the numbers of new, split, merged and deleted communities, counted up to 10,000.
SELECT run.id, run.created_at, run.nodes, run.pairs, run.communities, run.modularity, run.partials,
    counted.new, counted.split, counted.merged, counted.gone
FROM (
    SELECT newest.id, newest.created_at, newest.nodes, newest.pairs, newest.communities, newest.modularity,
        newest.partials
    FROM community_run AS newest
    WHERE newest.knowledge_space_id = %(space_id)s ORDER BY newest.id DESC LIMIT %(limit)s
) AS run
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE each_event.change = 'new') AS new,
        count(*) FILTER (WHERE each_event.change = 'split') AS split,
        count(*) FILTER (WHERE each_event.change = 'merged') AS merged,
        count(*) FILTER (WHERE each_event.change = 'gone') AS gone
    FROM (
        SELECT event.change FROM community_event AS event
        WHERE event.knowledge_space_id = %(space_id)s AND event.run_id = run.id LIMIT 10000
    ) AS each_event
) AS counted
ORDER BY run.id DESC

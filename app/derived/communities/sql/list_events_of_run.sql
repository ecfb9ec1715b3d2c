-- list_events_of_run: the events of one run in the order in which they were written, after the given event.
SELECT event.id, event.change, event.community_id, event.level, event.title, event.other_ids,
    standing.id IS NOT NULL
FROM community_event AS event
LEFT JOIN community AS standing
    ON standing.knowledge_space_id = %(space_id)s AND standing.id = event.community_id
WHERE event.knowledge_space_id = %(space_id)s AND event.run_id = %(run)s
  AND (%(after)s::uuid IS NULL OR event.id > %(after)s::uuid)
ORDER BY event.id LIMIT %(limit)s

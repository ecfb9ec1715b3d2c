-- list_events_of_community: the events about a community, newest first.
SELECT event.change, event.other_ids, run.created_at
FROM community_event AS event
JOIN community_run AS run ON run.knowledge_space_id = %(space_id)s AND run.id = event.run_id
WHERE event.knowledge_space_id = %(space_id)s AND event.community_id = %(community)s
ORDER BY event.run_id DESC, event.id LIMIT %(limit)s

-- trim_episodes: delete the history of these nodes before the last stored state but one.
DELETE FROM summary_episode
USING unnest(%(ids)s::uuid[], %(before)s::int[]) AS t(node_id, before)
WHERE summary_episode.knowledge_space_id = %(space_id)s AND summary_episode.node_id = t.node_id
  AND summary_episode.number < t.before

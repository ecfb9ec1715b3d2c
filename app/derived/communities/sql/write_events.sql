-- write_events: insert the events of a run about communities, each with the present or former title.
INSERT INTO community_event (knowledge_space_id, id, run_id, community_id, change, level, title, other_ids)
SELECT here.knowledge_space_id, t.id, %(run)s, t.community, t.change, t.level, coalesce(standing.title, ''),
    CASE WHEN t.other = '00000000-0000-0000-0000-000000000000' THEN '{}'::uuid[] ELSE ARRAY[t.other] END
FROM unnest(%(ids)s::uuid[], %(communities)s::uuid[], %(changes)s::text[], %(levels)s::int[], %(others)s::uuid[])
    AS t(id, community, change, level, other)
JOIN space_anchor AS here ON here.knowledge_space_id = %(space_id)s
LEFT JOIN community AS standing
    ON standing.knowledge_space_id = %(space_id)s AND standing.id = t.community

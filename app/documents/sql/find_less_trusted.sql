-- find_less_trusted: those of these documents that are trusted less than 1, with their trust.
-- The LIMIT in each LATERAL makes it an index probe, whatever the planner estimates for the space's size.
SELECT asked.id, source.trust
FROM (SELECT DISTINCT unnest(%(documents)s::uuid[]) AS id) AS asked
CROSS JOIN LATERAL (
    SELECT trust FROM document WHERE knowledge_space_id = %(space_id)s AND id = asked.id LIMIT 1
) AS source
WHERE source.trust < 1

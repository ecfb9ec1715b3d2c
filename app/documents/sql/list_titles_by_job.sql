-- list_titles_by_job: the titles of the first documents of each of these jobs, and the number of its documents.
-- Of these so many are unread: they failed or have quarantined chunks.
SELECT wanted.job_id, counted.documents, counted.unread, listed.id, listed.title
FROM unnest(%(jobs)s::uuid[]) AS wanted (job_id)
CROSS JOIN LATERAL (
    SELECT count(*)::int AS documents, count(*) FILTER (WHERE state = 'failed' OR quarantined_chunks > 0)::int AS unread
    FROM (
        SELECT state, quarantined_chunks FROM document
        WHERE document.knowledge_space_id = %(space_id)s AND document.job_id = wanted.job_id LIMIT %(bound)s
    ) AS bounded
) AS counted
CROSS JOIN LATERAL (
    SELECT document.id, coalesce(nullif(document.title, ''), document.source_uri, '') AS title FROM document
    WHERE document.knowledge_space_id = %(space_id)s AND document.job_id = wanted.job_id
    ORDER BY document.id LIMIT %(shown)s
) AS listed
ORDER BY wanted.job_id, listed.id

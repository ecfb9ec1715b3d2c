-- write_reports: reports on communities as they were when they were read; a newer state stays stale.
UPDATE community SET title = t.title, summary = t.summary, findings = t.findings::jsonb, reported_hash = t.content,
    reported_by = t.author, reported_at = now(), updated_at = now()
FROM unnest(%(ids)s::uuid[], %(titles)s::text[], %(summaries)s::text[], %(findings)s::text[], %(contents)s::uuid[],
    %(authors)s::text[]) AS t(id, title, summary, findings, content, author)
WHERE community.knowledge_space_id = %(space_id)s AND community.id = t.id

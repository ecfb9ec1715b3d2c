-- cluster_parts: the foreign keys and triggers of these tables, by table and name, each as Postgres writes it.
SELECT relation.relname::text, part.conname::text, pg_get_constraintdef(part.oid)
FROM pg_constraint AS part JOIN pg_class AS relation ON relation.oid = part.conrelid
WHERE part.contype = 'f' AND relation.relnamespace = 'public'::regnamespace AND relation.relname = ANY(%(tables)s::text[])
UNION ALL
SELECT relation.relname::text, part.tgname::text, pg_get_triggerdef(part.oid)
FROM pg_trigger AS part JOIN pg_class AS relation ON relation.oid = part.tgrelid
WHERE NOT part.tgisinternal AND relation.relnamespace = 'public'::regnamespace AND relation.relname = ANY(%(tables)s::text[])
ORDER BY 1, 2

-- read_ancestor_rows: these communities and all that contain them, with the columns that a partial run needs, as a block of bytes.
WITH RECURSIVE ancestry AS (
    SELECT id, parent_id, level, member_count, weight, inner_weight, content_hash FROM community
    WHERE knowledge_space_id = %(space_id)s AND id = ANY(%(ids)s::uuid[])
    UNION
    SELECT above.id, above.parent_id, above.level, above.member_count, above.weight, above.inner_weight, above.content_hash
    FROM (SELECT DISTINCT parent_id FROM ancestry) AS part
    JOIN community AS above ON above.knowledge_space_id = %(space_id)s AND above.id = part.parent_id
)
SELECT string_agg(
    uuid_send(own.id) || coalesce(uuid_send(own.parent_id), '\x00000000000000000000000000000000'::bytea)
    || int4send(own.level) || int4send(own.member_count) || float8send(own.weight) || float8send(own.inner_weight)
    || uuid_send(own.content_hash) || boolsend(EXISTS (
        SELECT 1 FROM community AS part WHERE part.knowledge_space_id = %(space_id)s AND part.parent_id = own.id
    )), ''::bytea)
FROM ancestry AS own

-- communities_above: these communities and all that hold them, with what a partial run goes by, as a block of bytes.
WITH RECURSIVE held AS (
    SELECT community.id, community.parent_id FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = ANY(%(ids)s::uuid[])
    UNION
    SELECT above.id, above.parent_id FROM held
    JOIN community AS above ON above.knowledge_space_id = %(space_id)s AND above.id = held.parent_id
)
SELECT string_agg(
    uuid_send(own.id) || coalesce(uuid_send(own.parent_id), '\x00000000000000000000000000000000'::bytea)
    || int4send(own.level) || int4send(own.member_count) || float8send(own.weight) || float8send(own.inner_weight)
    || uuid_send(own.content_hash) || boolsend(EXISTS (
        SELECT 1 FROM community AS part WHERE part.knowledge_space_id = %(space_id)s AND part.parent_id = own.id
    )), ''::bytea)
FROM held JOIN community AS own ON own.knowledge_space_id = %(space_id)s AND own.id = held.id

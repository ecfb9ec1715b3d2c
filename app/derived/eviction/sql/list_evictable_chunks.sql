-- list_evictable_chunks: the chunks that a policy gives up, the first to go first, each with its value and the reason.
-- Of a large space the first `examine` in the order of going are examined; `more`: others may go behind these.
-- A chunk may go where a newer one has the same text, to which its edges pass on, or where no edge rests on that text.
WITH total AS (
    SELECT count(*) AS chunks FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s
), known AS (
    SELECT now() - make_interval(secs => 86400 * %(ttl_days)s::double precision) AS expires,
        now() - make_interval(secs => %(grace)s::double precision) AS settles
), recalled AS (
    SELECT r.chunk_id AS id, %(count_weight)s::double precision * ln(1 + r.recall_count)
        + %(average_weight)s::double precision * r.total_score / r.recall_count
        + %(recency_weight)s::double precision * power(0.5, greatest(0, extract(epoch FROM now() - r.last_recalled_at))
            / %(half_life)s::double precision) AS value
    FROM chunk_recall r WHERE r.knowledge_space_id = %(space_id)s
), candidate AS (
    -- Whatever is among the first is among the first of its kind: recalled or not, expired or of any age.
    (SELECT c.id, 0::double precision AS value FROM knowledge_chunk c
        WHERE c.knowledge_space_id = %(space_id)s AND NOT EXISTS (
            SELECT FROM chunk_recall r WHERE r.knowledge_space_id = %(space_id)s AND r.chunk_id = c.id)
        ORDER BY c.id LIMIT %(examine)s)
    UNION
    (SELECT c.id, 0 FROM knowledge_chunk c
        -- Written out, so that without an age nothing is read.
        WHERE c.knowledge_space_id = %(space_id)s
          AND c.created_at < now() - make_interval(secs => 86400 * %(ttl_days)s::double precision) AND NOT EXISTS (
            SELECT FROM chunk_recall r WHERE r.knowledge_space_id = %(space_id)s AND r.chunk_id = c.id)
        ORDER BY c.id LIMIT %(examine)s)
    UNION
    (SELECT r.id, r.value FROM recalled r ORDER BY r.value, r.id LIMIT %(examine)s)
    UNION
    (SELECT r.id, r.value FROM recalled r
        JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = r.id
        WHERE c.created_at < now() - make_interval(secs => 86400 * %(ttl_days)s::double precision)
        ORDER BY r.value, r.id LIMIT %(examine)s)
), examined AS MATERIALIZED (
    SELECT a.id, a.value, c.document_id, c.ordinal, c.created_at, c.content_hash,
        coalesce(c.created_at < known.expires, false) AS expired, c.created_at < known.settles AS settled
    FROM candidate a
    JOIN knowledge_chunk c ON c.knowledge_space_id = %(space_id)s AND c.id = a.id
    CROSS JOIN known
    ORDER BY expired DESC, a.value, a.id LIMIT %(examine)s
), valued AS (
    SELECT x.*, d.title,
        %(including_last_evidence)s OR x.followed OR newer.stands IS NOT NULL OR borne.stands IS NULL AS free
    FROM (
        SELECT *, lead(id) OVER (PARTITION BY content_hash ORDER BY id) IS NOT NULL AS followed FROM examined
    ) AS x
    JOIN LATERAL (
        SELECT title FROM document WHERE knowledge_space_id = %(space_id)s AND id = x.document_id
          AND state IN ('ready', 'failed') LIMIT 1
    ) AS d ON true
    -- Of chunks with one text the last of those examined is looked at alone: a text is read once, however often it stands.
    LEFT JOIN LATERAL (
        SELECT true AS stands FROM knowledge_chunk n WHERE NOT x.followed AND n.knowledge_space_id = %(space_id)s
          AND n.content_hash = x.content_hash AND n.id > x.id LIMIT 1
    ) AS newer ON NOT %(including_last_evidence)s
    LEFT JOIN LATERAL (
        -- A range of one: by equality all edges would be gone through while the statistics know one evidence alone.
        SELECT true AS stands FROM knowledge_chunk o
        JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id BETWEEN o.id AND o.id
        WHERE NOT x.followed AND newer.stands IS NULL
          AND o.knowledge_space_id = %(space_id)s AND o.content_hash = x.content_hash LIMIT 1
    ) AS borne ON NOT %(including_last_evidence)s
), judged AS MATERIALIZED (
    SELECT v.*, coalesce(v.value < %(min_value)s::double precision AND v.settled, false) AS little,
        count(*) FILTER (WHERE v.free) OVER before AS freed, count(*) OVER before AS passed
    FROM valued v
    WINDOW before AS (ORDER BY v.expired DESC, v.value, v.id ROWS UNBOUNDED PRECEDING)
), chosen AS (
    -- Of those that may go as many go as are too many; of the others those are spared whose turn it would be.
    SELECT j.*, coalesce(CASE WHEN j.free THEN j.freed ELSE j.passed END <= total.chunks - %(max_chunks)s::bigint, false)
        AS over
    FROM judged j CROSS JOIN total
), going AS MATERIALIZED (
    SELECT c.*, row_number() OVER (PARTITION BY c.free ORDER BY c.expired DESC, c.value, c.id) AS place
    FROM chosen c WHERE c.expired OR c.little OR c.over
), counted AS (
    SELECT count(*) FILTER (WHERE free) AS evictable, count(*) FILTER (WHERE NOT free) AS spared FROM going
), last AS (
    SELECT count(*) AS examined, bool_and(expired) AS expired, max(value) FILTER (WHERE NOT expired) AS value FROM examined
)
SELECT total.chunks, counted.evictable, counted.spared,
    last.examined < total.chunks AND coalesce(last.expired OR last.value < %(min_value)s::double precision
        OR judged_free.free < total.chunks - %(max_chunks)s::bigint, false) AS more,
    g.place, g.id, g.document_id, g.title, g.ordinal, g.value, coalesce(r.recall_count, 0), r.last_recalled_at, g.created_at,
    CASE WHEN g.expired THEN 'expired' WHEN g.little THEN 'little_recalled' ELSE 'over_capacity' END AS reason
FROM total CROSS JOIN counted CROSS JOIN last
CROSS JOIN (SELECT count(*) FILTER (WHERE free) AS free FROM judged) AS judged_free
LEFT JOIN LATERAL (
    SELECT * FROM going WHERE free AND place > %(after)s ORDER BY place LIMIT %(limit)s
) AS g ON true
LEFT JOIN LATERAL (
    SELECT recall_count, last_recalled_at FROM chunk_recall WHERE knowledge_space_id = %(space_id)s AND chunk_id = g.id
) AS r ON true
ORDER BY g.place

-- plan_eviction: the chunks that a policy gives up, the first to go first, each with its value and the reason.
-- A chunk may go where a newer one has the same text, to which its edges pass on, or where no edge rests on that text.
WITH total AS (
    SELECT count(*) AS chunks FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s
), valued AS MATERIALIZED (
    SELECT c.id, c.document_id, c.ordinal, c.created_at, d.title, coalesce(r.recall_count, 0) AS recall_count,
        r.last_recalled_at,
        coalesce(%(count_weight)s::double precision * ln(1 + r.recall_count)
            + %(average_weight)s::double precision * r.total_score / r.recall_count
            + %(recency_weight)s::double precision * power(0.5, greatest(0, extract(epoch FROM now() - r.last_recalled_at))
                / %(half_life)s::double precision), 0) AS value,
        coalesce(c.created_at < now() - make_interval(secs => 86400 * %(ttl_days)s::double precision), false) AS expired,
        c.created_at < now() - make_interval(secs => %(grace)s::double precision) AS settled,
        %(including_last_evidence)s OR EXISTS (
            SELECT 1 FROM knowledge_chunk n WHERE n.knowledge_space_id = %(space_id)s
              AND n.content_hash = c.content_hash AND n.id > c.id
        ) OR NOT EXISTS (
            SELECT 1 FROM knowledge_chunk o
            JOIN graph_edge e ON e.knowledge_space_id = %(space_id)s AND e.evidence_chunk_id = o.id
            WHERE o.knowledge_space_id = %(space_id)s AND o.content_hash = c.content_hash
        ) AS free
    FROM knowledge_chunk c
    JOIN document d ON d.knowledge_space_id = %(space_id)s AND d.id = c.document_id
    LEFT JOIN chunk_recall r ON r.knowledge_space_id = %(space_id)s AND r.chunk_id = c.id
    WHERE c.knowledge_space_id = %(space_id)s AND d.state IN ('ready', 'failed')
), judged AS (
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
)
SELECT total.chunks, counted.evictable, counted.spared, g.place, g.id, g.document_id, g.title, g.ordinal, g.value,
    g.recall_count, g.last_recalled_at, g.created_at,
    CASE WHEN g.expired THEN 'expired' WHEN g.little THEN 'little_recalled' ELSE 'over_capacity' END AS reason
FROM total
CROSS JOIN (SELECT count(*) FILTER (WHERE free) AS evictable, count(*) FILTER (WHERE NOT free) AS spared FROM going) AS counted
LEFT JOIN LATERAL (
    SELECT * FROM going WHERE free AND place > %(after)s ORDER BY place LIMIT %(limit)s
) AS g ON true
ORDER BY g.place

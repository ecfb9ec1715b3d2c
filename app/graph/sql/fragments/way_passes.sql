-- way_passes: the filters that an edge of a way must pass; with `ended` it may also have held once, if it is no denial.
-- A denial counts as ended before all time, and the index carries that moment. What a person ended has left the answers.
AND (%(as_of)s::timestamptz IS NULL AND invalidated_at IS NULL
     OR %(as_of)s::timestamptz >= coalesce(valid_from, '-infinity')
        AND %(as_of)s::timestamptz < coalesce(invalidated_at, 'infinity')
     OR %(ended)s::bool AND coalesce(invalidated_at, 'infinity') > '0001-01-02 00:00:00+00'::timestamptz
        AND NOT EXISTS (
            SELECT FROM edge_invalidation AS decision
            WHERE decision.knowledge_space_id = %(space_id)s AND decision.edge_id = graph_edge.id
              AND decision.undone_at IS NULL AND decision.kind = 'person'
        ))
AND (%(relation_types)s::text[] IS NULL OR relation_type = ANY(%(relation_types)s::text[]))
AND (%(min_confidence)s::real IS NULL OR confidence >= %(min_confidence)s::real)
AND (%(with_evidence)s::bool IS NULL OR evidence_chunk_id IS NOT NULL)

-- way_passes: the filters that an edge of a path must pass; with `ended` it may also have ended, unless it is a denial or a report.
-- Denials and reports have the earliest end dates, which the index contains. Edges that a person ended are excluded.
AND (edge_holds_at(deleted_at, invalidated_at, valid_from, ends_at, %(as_of)s::timestamptz)
     OR %(ended)s::bool AND invalidated_at IS DISTINCT FROM '0001-01-02 00:00:00+00'::timestamptz
        AND invalidated_at IS DISTINCT FROM '0001-01-03 00:00:00+00'::timestamptz
        AND NOT EXISTS (
            SELECT FROM edge_invalidation AS decision
            WHERE decision.knowledge_space_id = %(space_id)s AND decision.edge_id = graph_edge.id
              AND decision.undone_at IS NULL AND decision.kind = 'person'
        ))
AND (%(relation_types)s::text[] IS NULL OR relation_type = ANY(%(relation_types)s::text[]))
-- include layer_passes
AND (%(min_confidence)s::real IS NULL OR confidence >= %(min_confidence)s::real)
AND (%(with_evidence)s::bool IS NULL OR evidence_chunk_id IS NOT NULL)

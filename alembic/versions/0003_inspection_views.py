"""Views for a person with psql (requirement 13.1); each shows the space set for the session, no more.

`security_invoker` makes row security apply to who asks, not to who made the view (fact 13).
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

VIEWS = {
    "inspect_relation_types": (
        "Edges per relation type, with average weight and confidence.",
        """SELECT knowledge_space_id, relation_type, count(*) AS edges, avg(weight) AS avg_weight,
                  avg(confidence) AS avg_confidence, count(evidence_chunk_id) AS with_evidence
           FROM graph_edge WHERE deleted_at IS NULL GROUP BY knowledge_space_id, relation_type""",
    ),
    "inspect_top_nodes": (
        "Nodes with their mentions and degrees; order by mention_count DESC for the best known.",
        """SELECT knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree,
                  out_degree + in_degree AS degree, first_seen_at, last_seen_at
           FROM graph_node WHERE deleted_at IS NULL""",
    ),
    "inspect_orphan_nodes": (
        "Nodes that no edge touches.",
        """SELECT n.knowledge_space_id, n.id, n.canonical_name, n.node_type, n.mention_count
           FROM graph_node n
           WHERE n.deleted_at IS NULL
             AND NOT EXISTS (SELECT 1 FROM graph_edge e WHERE e.knowledge_space_id = n.knowledge_space_id
                             AND e.from_node_id = n.id AND e.deleted_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM graph_edge e WHERE e.knowledge_space_id = n.knowledge_space_id
                             AND e.to_node_id = n.id AND e.deleted_at IS NULL)""",
    ),
    "inspect_ungrounded_edges": (
        "Edges whose evidence is gone, or whose quote is not in its chunk at its range: the second is never expected.",
        """SELECT e.knowledge_space_id, e.id, f.canonical_name AS from_name, e.relation_type,
                  t.canonical_name AS to_name, e.metadata ->> 'quote' AS quote,
                  CASE WHEN c.id IS NULL THEN 'evidence gone' ELSE 'quote not found' END AS reason
           FROM graph_edge e
           JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
           JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
           LEFT JOIN knowledge_chunk c
                  ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id
           WHERE e.deleted_at IS NULL
             AND (c.id IS NULL OR substr(c.text, (e.metadata ->> 'charStart')::int + 1,
                    (e.metadata ->> 'charEnd')::int - (e.metadata ->> 'charStart')::int)
                  IS DISTINCT FROM e.metadata ->> 'quote')""",
    ),
    "inspect_edges": (
        "Edges in words, each with the document and the sentence that states it.",
        """SELECT e.knowledge_space_id, e.id, f.canonical_name AS from_name, e.relation_type,
                  t.canonical_name AS to_name, e.weight, e.confidence, e.status,
                  e.metadata ->> 'quote' AS quote, d.title AS document,
                  c.char_start + (e.metadata ->> 'charStart')::int AS char_start,
                  c.char_start + (e.metadata ->> 'charEnd')::int AS char_end
           FROM graph_edge e
           JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
           JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
           LEFT JOIN knowledge_chunk c
                  ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id
           LEFT JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
           WHERE e.deleted_at IS NULL""",
    ),
    "inspect_job_progress": (
        "Jobs with state, stage, per cent and errors.",
        """SELECT j.knowledge_space_id, j.id, j.kind, j.state, j.stage, round(j.progress::numeric, 1) AS percent,
                  j.counts, j.attempt, j.crash_count, j.error_code, j.error_message,
                  (SELECT count(*) FROM job_error x
                   WHERE x.knowledge_space_id = j.knowledge_space_id AND x.job_id = j.id) AS errors,
                  j.created_at, j.started_at, j.finalized_at
           FROM job j""",
    ),
    "inspect_token_cost": (
        "Model calls, tokens and cost per space and day.",
        """SELECT knowledge_space_id, (created_at AT TIME ZONE 'UTC')::date AS day, model, purpose,
                  count(*) FILTER (WHERE NOT cached) AS calls, count(*) FILTER (WHERE cached) AS cached_answers,
                  sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
                  sum(cost_usd) AS cost_usd
           FROM model_call GROUP BY knowledge_space_id, (created_at AT TIME ZONE 'UTC')::date, model, purpose""",
    ),
}


def upgrade() -> None:
    op.execute("COMMENT ON TABLE alembic_version IS 'The newest migration that this database has seen.'")
    op.execute("COMMENT ON COLUMN alembic_version.version_num IS 'Its number, as in alembic/versions.'")
    for name, (comment, query) in VIEWS.items():
        op.execute(f"CREATE VIEW {name} WITH (security_invoker = true) AS {query}")
        op.execute(f"COMMENT ON VIEW {name} IS '{comment}'")


def downgrade() -> None:
    op.execute("COMMENT ON COLUMN alembic_version.version_num IS NULL")
    op.execute("COMMENT ON TABLE alembic_version IS NULL")
    for name in VIEWS:
        op.execute(f"DROP VIEW {name}")

"""A view of claims that ended, for a person with psql: what, since when, by whom and why (requirement 13.1).

Addition only (requirement 13.3): nothing that stands is changed.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

VIEW = """
CREATE VIEW inspect_ended_claims WITH (security_invoker = true) AS
SELECT x.knowledge_space_id, x.edge_id, f.canonical_name AS from_name, e.relation_type, t.canonical_name AS to_name,
       e.metadata ->> 'quote' AS quote, x.invalidated_at, x.kind, x.decided_by, x.reason, x.claim_dated_at,
       s.metadata ->> 'quote' AS source_quote, x.created_at, x.undone_at, x.undone_by
FROM edge_invalidation x
LEFT JOIN graph_edge e ON e.knowledge_space_id = x.knowledge_space_id AND e.id = x.edge_id
LEFT JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
LEFT JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
LEFT JOIN graph_edge s ON s.knowledge_space_id = x.knowledge_space_id AND s.id = x.source_edge_id
"""
COMMENT = "Claims that ended, in words: by which person or later source, since when and why; undone_at is null while it holds."


def upgrade() -> None:
    op.execute(VIEW)
    op.execute(f"COMMENT ON VIEW inspect_ended_claims IS '{COMMENT}'")


def downgrade() -> None:
    op.execute("DROP VIEW inspect_ended_claims")

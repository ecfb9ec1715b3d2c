"""Claims that a source only reports: somebody is said to make them, and no answer takes them for a fact.

Like a denial a report is an edge of its own that counts as ended before all others, at another moment, so that statements and
indexes which leave out what ended leave it out, and which carry `invalidated_at` tell the two apart. Addition only: no edge
that stands is one. The constraints bind what is written from now on and hold for all before: none of these has the new word.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0061"
down_revision: str | None = "0060"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

POLARITY = "polarity IN ('asserted', 'denied', 'reported')"
POLARITY_BEFORE = "polarity IN ('asserted', 'denied')"
NEVER_HELD = (
    "(polarity = 'reported') = (invalidated_at IS NOT DISTINCT FROM '0001-01-03 00:00:00+00'::timestamptz)"
)
COMMENT = "denied where the sentence says that the claim does not hold, or not any more; reported where it only says who claims it."
COMMENT_BEFORE = "denied where the sentence says that the claim does not hold, or not any more."
ENDED = "When a later source or a person ended the claim; for a denial, and for a report, always the same early moment."
ENDED_BEFORE = "When a later source or a person ended the claim; for a denial always the same early moment."
STANDING = (
    "holds, ended, denied for what its sentence denies, or reported for what it only says somebody claims."
)
STANDING_BEFORE = "holds, ended, or denied for what its sentence denies."

CLAIMS = """CREATE OR REPLACE VIEW inspect_claims WITH (security_invoker = true) AS
    SELECT e.knowledge_space_id, e.id, f.canonical_name AS from_name, e.relation_type,
           t.canonical_name AS to_name, e.weight, e.confidence, e.status,
           e.metadata ->> 'quote' AS quote, d.title AS document,
           c.char_start + (e.metadata ->> 'charStart')::int AS char_start,
           c.char_start + (e.metadata ->> 'charEnd')::int AS char_end,
           CASE {reported}WHEN e.polarity = 'denied' THEN 'denied'
                WHEN edge_holds(e.deleted_at, e.invalidated_at) THEN 'holds' ELSE 'ended' END AS standing,
           e.valid_from, CASE WHEN e.polarity = 'asserted' THEN e.invalidated_at END AS ended_at
    FROM graph_edge e
    JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
    JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
    LEFT JOIN knowledge_chunk c ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id
    LEFT JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
    WHERE e.deleted_at IS NULL ORDER BY e.knowledge_space_id, e.id"""

# fmt: off


def upgrade() -> None:
    op.execute("ALTER TABLE graph_edge DROP CONSTRAINT ck_graph_edge_polarity")
    op.execute(f"ALTER TABLE graph_edge ADD CONSTRAINT ck_graph_edge_polarity CHECK ({POLARITY}) NOT VALID")
    op.execute(f"ALTER TABLE graph_edge ADD CONSTRAINT ck_graph_edge_report_never_held CHECK ({NEVER_HELD}) NOT VALID")
    op.alter_column('graph_edge', 'polarity', existing_type=sa.Text(), existing_nullable=False, existing_server_default='asserted', existing_comment=COMMENT_BEFORE, comment=COMMENT)
    op.alter_column('graph_edge', 'invalidated_at', existing_type=sa.DateTime(timezone=True), existing_nullable=True, existing_comment=ENDED_BEFORE, comment=ENDED)
    op.execute(CLAIMS.format(reported="WHEN e.polarity = 'reported' THEN 'reported' "))
    op.execute(f"COMMENT ON COLUMN inspect_claims.standing IS '{STANDING}'")


def downgrade() -> None:
    # Without its polarity a report would be read as a fact that ended.
    op.execute("DELETE FROM graph_edge WHERE polarity = 'reported'")
    op.execute(CLAIMS.format(reported=""))
    op.execute(f"COMMENT ON COLUMN inspect_claims.standing IS '{STANDING_BEFORE}'")
    op.alter_column('graph_edge', 'invalidated_at', existing_type=sa.DateTime(timezone=True), existing_nullable=True, existing_comment=ENDED, comment=ENDED_BEFORE)
    op.alter_column('graph_edge', 'polarity', existing_type=sa.Text(), existing_nullable=False, existing_server_default='asserted', existing_comment=COMMENT, comment=COMMENT_BEFORE)
    op.execute("ALTER TABLE graph_edge DROP CONSTRAINT ck_graph_edge_report_never_held")
    op.execute("ALTER TABLE graph_edge DROP CONSTRAINT ck_graph_edge_polarity")
    op.execute(f"ALTER TABLE graph_edge ADD CONSTRAINT ck_graph_edge_polarity CHECK ({POLARITY_BEFORE})")

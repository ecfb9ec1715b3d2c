"""Claims that end because their document says something else by now (requirement 2.3).

Addition only (requirement 13.3): a wider set of kinds, and the document, by which its deletion finds what it had
ended. A worker of the version before ends nothing so and leaves such rows alone.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0032"
down_revision: str | None = "0031"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

WIDER = "('person', 'source', 'replaced')"
NARROWER = "('person', 'source')"


def _kinds(kinds: str) -> None:
    for name in ("kind", "undone_kind"):
        op.execute(f"ALTER TABLE edge_invalidation DROP CONSTRAINT ck_edge_invalidation_{name}")
        op.execute(
            f"ALTER TABLE edge_invalidation ADD CONSTRAINT ck_edge_invalidation_{name} CHECK ({name} IN {kinds}) NOT VALID"
        )
        op.execute(f"ALTER TABLE edge_invalidation VALIDATE CONSTRAINT ck_edge_invalidation_{name}")


def upgrade() -> None:
    op.add_column(
        "edge_invalidation",
        sa.Column(
            "document_id", sa.Uuid(), nullable=True, comment="The document that was replaced; may be gone."
        ),
    )
    op.create_index(
        "ix_edge_invalidation_document",
        "edge_invalidation",
        ["knowledge_space_id", "document_id"],
        postgresql_where=sa.text("document_id IS NOT NULL"),
    )
    _kinds(WIDER)


def downgrade() -> None:
    op.execute("DELETE FROM edge_invalidation WHERE kind = 'replaced' OR undone_kind = 'replaced'")
    _kinds(NARROWER)
    op.drop_index("ix_edge_invalidation_document", "edge_invalidation")
    op.drop_column("edge_invalidation", "document_id")

"""The constraints of migration 0061 proven for the edges that stood before, under a lock that lets all go on writing."""

from collections.abc import Sequence

from alembic import op

revision: str = "0062"
down_revision: str | None = "0061"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.execute("ALTER TABLE graph_edge VALIDATE CONSTRAINT ck_graph_edge_polarity")
    op.execute("ALTER TABLE graph_edge VALIDATE CONSTRAINT ck_graph_edge_report_never_held")


def downgrade() -> None:
    """Nothing: the constraints go with migration 0061."""

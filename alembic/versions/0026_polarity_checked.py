"""The constraints of migration 0025 proven for the edges that stood before, under a lock that lets all go on writing."""

from collections.abc import Sequence

from alembic import op

revision: str = "0026"
down_revision: str | None = "0025"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

NAMES = ("polarity", "denial_never_held", "precision", "basis")


def upgrade() -> None:
    for name in NAMES:
        op.execute(f"ALTER TABLE graph_edge VALIDATE CONSTRAINT ck_graph_edge_{name}")


def downgrade() -> None:
    """Nothing: the constraints go with migration 0025."""

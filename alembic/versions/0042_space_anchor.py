"""The view `space_anchor`: what an INSERT of a space's rows takes their space from, as a column.

On a Citus cluster a distributed table of that name stands in its place (docs/citus.md), and an INSERT whose space
comes from it is one task of one shard. Addition only (requirement 13.3): nothing is stored, nothing is kept up.
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0042"
down_revision: str | None = "0041"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COMMENT = "The spaces that rows may be written to, each one row; on a cluster a table, one row in the shard of the space."


def upgrade() -> None:
    op.execute(
        "CREATE VIEW space_anchor WITH (security_invoker = true) AS"
        " SELECT id AS knowledge_space_id, tenant_id FROM knowledge_space"
    )
    op.execute(f"COMMENT ON VIEW space_anchor IS '{COMMENT}'")


def downgrade() -> None:
    op.execute("DROP VIEW space_anchor")

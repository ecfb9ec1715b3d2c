"""A space that is deleted is closed at once, and what it owns goes in a job, batch by batch.

Addition only (requirement 13.3): a column that is null for every space that stands.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0031"
down_revision: str | None = "0030"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COMMENT = "When the space was deleted: nobody opens it any more but the job that removes what it owns."


def upgrade() -> None:
    op.add_column(
        "knowledge_space", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True, comment=COMMENT)
    )


def downgrade() -> None:
    op.drop_column("knowledge_space", "closed_at")

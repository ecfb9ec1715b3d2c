"""The comment of a document's format names the list that there is: docs/formats.md."""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0063"
down_revision: str | None = "0062"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BEFORE = "Name of its format, as README lists them."
COMMENT = "Name of its format, as docs/formats.md lists them."


def upgrade() -> None:
    op.alter_column(
        "document",
        "format",
        existing_type=sa.Text(),
        existing_nullable=False,
        comment=COMMENT,
        existing_comment=BEFORE,
    )


def downgrade() -> None:
    op.alter_column(
        "document",
        "format",
        existing_type=sa.Text(),
        existing_nullable=False,
        comment=BEFORE,
        existing_comment=COMMENT,
    )

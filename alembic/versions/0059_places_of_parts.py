"""Chunks that stand in several places of their file say which part stands where.

Addition only (requirement 13.3). Chunks of before say the first and the last until their document is read anew.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0059"
down_revision: str | None = "0058"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
COMMENT = "Where it stands in several places, each with the first character of its part, from 0: [[0, \"page 1\"], [350, \"page 2\"]]."


def upgrade() -> None:
    op.add_column('knowledge_chunk', sa.Column('places', postgresql.JSONB(astext_type=sa.Text()), nullable=True, comment=COMMENT))


def downgrade() -> None:
    op.drop_column('knowledge_chunk', 'places')

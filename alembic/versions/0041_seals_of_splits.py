"""Seals of persons' splits: what a part is called, so that only the text that it was read from tells it.

Addition only (requirement 13.3). A split from before has none and is forgotten with its document, as it was.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0041"
down_revision: str | None = "0040"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('node_split', sa.Column('seals', postgresql.ARRAY(sa.LargeBinary()), server_default=sa.text("'{}'::bytea[]"), nullable=False, comment='What the part is called, for each mention that moved: readable with its text alone.'))


def downgrade() -> None:
    op.drop_column('node_split', 'seals')

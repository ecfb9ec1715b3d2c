"""The date of what states a value: of two censuses the later one holds, and `as_of` shows what was known then.

Addition only (requirement 13.3): a worker of the version before writes none, and its values count as undated.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0048"
down_revision: str | None = "0047"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('node_attribute', sa.Column('stated_at', sa.DateTime(timezone=True), nullable=True, comment='The date that the sentence gives the value, else of the turn or the document; null where none has one.'))


def downgrade() -> None:
    op.drop_column('node_attribute', 'stated_at')

"""Values that a person ended: since when, by whom and why, at the row that states each; undone by taking it back.

Addition only (requirement 13.3): a worker of the version before knows nothing of it, and to it such a value holds.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0049"
down_revision: str | None = "0048"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('node_attribute', sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True, comment='Since when it does not hold, by a decision of a person; null while nobody ended it.'))
    op.add_column('node_attribute', sa.Column('ended_by', sa.Text(), nullable=True, comment='Who decided that, as the audit names them.'))
    op.add_column('node_attribute', sa.Column('ended_reason', sa.Text(), nullable=True, comment='Why, in their words.'))


def downgrade() -> None:
    op.drop_column('node_attribute', 'ended_reason')
    op.drop_column('node_attribute', 'ended_by')
    op.drop_column('node_attribute', 'ended_at')

"""Where in a trace a job was queued, so that the spans of its worker join those of the request.

Addition only (requirement 13.3). Workers of the version before leave the column alone.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0044"
down_revision: str | None = "0043"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('job', sa.Column('trace_parent', sa.Text(), nullable=True, comment='Where in a trace it was queued, as W3C writes it; null outside of one.'))


def downgrade() -> None:
    op.drop_column('job', 'trace_parent')

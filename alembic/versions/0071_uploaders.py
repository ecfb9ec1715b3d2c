"""Who handed a document in, so that several documents of one uploader count as one origin; and answers to questions,
which are not stored, for those who wait for them.

Addition only (requirement 13.3). Documents from before, and of an earlier version beside this one, do not say who
handed them in: none of them is an independent origin. A process of an earlier version passes no answer on.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0071"
down_revision: str | None = "0070"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('document', sa.Column('uploader', sa.Text(), nullable=True, comment='Who handed the current version in: key:, account: or operator: with an opaque id that outlives them. Null if not known.'))


    op.add_column('model_answer_lease', sa.Column('answer', postgresql.JSONB(none_as_null=True), nullable=True, comment='An answer that is not stored, for those who wait for it; it goes with the lease.'))


def downgrade() -> None:
    op.drop_column('model_answer_lease', 'answer')
    op.drop_column('document', 'uploader')

"""The ledger of model calls says how much text each call asked about, so that estimates can use it.

Addition only (requirement 13.3). Calls from before, and of an earlier version beside this one, do not say it:
estimates ignore them.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0068"
down_revision: str | None = "0067"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('model_call', sa.Column('passage_tokens', sa.Integer(), nullable=True, comment='Tokens of the passages asked about, as counted here; null if it asked about none.'))


def downgrade() -> None:
    op.drop_column('model_call', 'passage_tokens')

"""Tokens of calls under way, beside what they cost at most: for the quota of tokens a month.

Addition only (requirement 13.3): a worker of the version before reserves money alone, and its tokens count when its
call has ended.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0047"
down_revision: str | None = "0046"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
OLD = "What calls under way may cost, of tenants and spaces with a budget; it counts as spent until the call ends. Walled by app.tenant_id."
NEW = "What calls under way may cost, of tenants and spaces with a limit; it counts as spent until the call ends. Walled by app.tenant_id."


def upgrade() -> None:
    op.add_column('budget_reservation', sa.Column('tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens that it sends and brings back, at most.'))
    op.create_table_comment('budget_reservation', NEW, existing_comment=OLD)


def downgrade() -> None:
    op.drop_column('budget_reservation', 'tokens')
    op.create_table_comment('budget_reservation', OLD, existing_comment=NEW)

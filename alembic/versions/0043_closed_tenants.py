"""Tenants that are being erased, and what deleted spaces used in their month.

Additions only (requirement 13.3). A server of the version before opens a closed tenant still, whose keys and spaces
are gone by then.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0043"
down_revision: str | None = "0042"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

# fmt: off


def upgrade() -> None:
    op.add_column('tenant', sa.Column('closed_at', sa.DateTime(timezone=True), nullable=True, comment='When its erasure was asked for: nobody finds it any more but the workers that remove what it owns.'))
    op.create_index('ix_tenant_closed_at', 'tenant', ['closed_at'], postgresql_where=sa.text('closed_at IS NOT NULL'))
    op.create_table('usage_of_deleted',
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that is billed.'),
    sa.Column('month', sa.Date(), nullable=False, comment='The first day of the month, in UTC.'),
    sa.Column('prompt_tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens sent to models.'),
    sa.Column('completion_tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens models wrote.'),
    sa.Column('cost_usd', sa.Numeric(precision=18, scale=8), server_default='0', nullable=False, comment='Price of those calls, US dollars.'),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_usage_of_deleted_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('tenant_id', 'month', name=op.f('pk_usage_of_deleted')),
    comment='What spaces used in a month in which they were deleted: else whoever deletes a space gets its share of budget and tokens again. Walled by app.tenant_id.'
    )
    op.execute("ALTER TABLE usage_of_deleted ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE usage_of_deleted FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON usage_of_deleted USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    op.drop_table('usage_of_deleted')
    op.drop_index('ix_tenant_closed_at', table_name='tenant')
    op.drop_column('tenant', 'closed_at')

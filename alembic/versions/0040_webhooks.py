"""Webhooks: addresses that are told of a tenant's events, and the outbox of messages to them.

Addition only (requirement 13.3). Nothing rests on its rows: workers of the version before write no messages.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0040"
down_revision: str | None = "0039"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

# fmt: off


def upgrade() -> None:
    op.create_table('webhook',
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant whose events it is told of.'),
    sa.Column('url', sa.Text(), nullable=False, comment='The address, checked again at every connection.'),
    sa.Column('events', postgresql.ARRAY(sa.Text()), nullable=False, comment='The events that it is told of.'),
    sa.Column('secret', sa.Text(), nullable=False, comment='The key of its signatures.'),
    sa.Column('old_secret', sa.Text(), nullable=True, comment='The key before that one.'),
    sa.Column('old_secret_until', sa.DateTime(timezone=True), nullable=True, comment='How long that one signs too.'),
    sa.Column('failing_since', sa.DateTime(timezone=True), nullable=True, comment='When it began to fail; null: it works.'),
    sa.Column('disabled_at', sa.DateTime(timezone=True), nullable=True, comment='When it was disabled; null: it is not.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_webhook_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook')),
    sa.UniqueConstraint('tenant_id', 'id', name=op.f('uq_webhook_tenant_id_id')),
    comment="Addresses that are told of a tenant's events. Walled by app.tenant_id."
    )
    op.create_table('webhook_delivery',
    sa.Column('id', sa.Uuid(), nullable=False, comment='Its id at the receiver, at every try.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant whose event it is.'),
    sa.Column('webhook_id', sa.Uuid(), nullable=False, comment='The webhook that is told.'),
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=True, comment='The space that it happened in, if any.'),
    sa.Column('event', sa.Text(), nullable=False, comment='What happened.'),
    sa.Column('event_key', sa.Text(), nullable=False, comment='What happened and to what: told once.'),
    sa.Column('data', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='Ids, codes, numbers; no word of a document.'),
    sa.Column('state', sa.Text(), server_default='pending', nullable=False, comment='pending, delivered, failed.'),
    sa.Column('attempts', sa.Integer(), server_default='0', nullable=False, comment='How often it was sent.'),
    sa.Column('fence', sa.Integer(), server_default='0', nullable=False, comment='Rises with every lease.'),
    sa.Column('next_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment='When to try next.'),
    sa.Column('leased_until', sa.DateTime(timezone=True), nullable=True, comment='How long a worker has it.'),
    sa.Column('last_status', sa.Integer(), nullable=True, comment='The status that the receiver answered.'),
    sa.Column('last_error', sa.Text(), nullable=True, comment='Or a code of what went wrong.'),
    sa.Column('ended_at', sa.DateTime(timezone=True), nullable=True, comment='When it was delivered or given up.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.CheckConstraint("state IN ('pending', 'delivered', 'failed')", name=op.f('ck_webhook_delivery_state_known')),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_webhook_delivery_tenant_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['tenant_id', 'webhook_id'], ['webhook.tenant_id', 'webhook.id'], name=op.f('fk_webhook_delivery_tenant_id_webhook_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['tenant_id', 'knowledge_space_id'], ['knowledge_space.tenant_id', 'knowledge_space.id'], name=op.f('fk_webhook_delivery_tenant_id_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_delivery')),
    sa.UniqueConstraint('webhook_id', 'event_key', name=op.f('uq_webhook_delivery_webhook_id_event_key')),
    comment='Messages to webhooks: ids, codes and numbers, for 30 days. Walled by app.tenant_id.'
    )
    op.create_index('ix_webhook_delivery_due', 'webhook_delivery', ['webhook_id', 'next_at'], postgresql_where=sa.text("state = 'pending'"))
    for columns in (('tenant_id', 'webhook_id', 'created_at'), ('knowledge_space_id',), ('created_at',)):
        op.create_index(op.f(f"ix_webhook_delivery_{'_'.join(columns)}"), 'webhook_delivery', list(columns))
    for table in ('webhook', 'webhook_delivery'):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    op.drop_table('webhook_delivery')
    op.drop_table('webhook')

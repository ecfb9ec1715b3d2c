"""A queue of tenants for their webhooks: whose messages are due, and what each webhook has lost.

Addition only (requirement 13.3). A trigger keeps the queue, so a worker of the version before keeps it too. Cheap on a
live table: columns with constant defaults, a small new table, and one lock of `webhook_delivery` for the trigger.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0052"
down_revision: str | None = "0051"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"
# On a host without roles that bypass row security the owner looks past it, for this transaction and to nobody else
# (as in migration 0024).
BOUND = "SELECT row_security_active('webhook')"
# Counts at most as many rows as a webhook may have: the same work however many messages wait. ON CONFLICT locks the
# tenant's row even where it changes nothing, so that no worker finds the queue empty before this message is committed.
# The queue's row is locked before the webhook's, as everywhere.
ADMIT = """
CREATE FUNCTION admit_webhook_message() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER
SET search_path = pg_catalog, pg_temp AS $$ BEGIN
    IF NEW.state <> 'pending' THEN RETURN NEW; END IF;
    INSERT INTO public.webhook_queue AS queue (tenant_id, due_at) VALUES (NEW.tenant_id, now())
    ON CONFLICT (tenant_id) DO UPDATE SET due_at = now()
    WHERE (queue.due_at IS NULL OR queue.due_at > now()) AND (queue.leased_until IS NULL OR queue.leased_until < now());
    IF (SELECT count(*) FROM (
            SELECT FROM public.webhook_delivery AS waiting
            WHERE waiting.webhook_id = NEW.webhook_id AND waiting.state = 'pending' LIMIT 5000
        ) AS counted) >= 5000 THEN
        UPDATE public.webhook SET dropped = dropped + 1, dropped_at = now() WHERE id = NEW.webhook_id;
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$
"""

# fmt: off


def upgrade() -> None:
    op.create_table('webhook_queue',
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant whose messages wait.'),
    sa.Column('due_at', sa.DateTime(timezone=True), nullable=True, comment='When a worker looks for its next message; null: none waits.'),
    sa.Column('leased_until', sa.DateTime(timezone=True), nullable=True, comment='How long a worker has one of its messages.'),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_webhook_queue_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('tenant_id', name=op.f('pk_webhook_queue')),
    comment='Tenants whose messages wait, each served in its turn. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_webhook_queue_due_at'), 'webhook_queue', ['due_at'])
    op.execute("ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE webhook_queue FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON webhook_queue USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")
    op.add_column('webhook', sa.Column('failures', sa.Integer(), server_default='0', nullable=False, comment='Tries that failed one after the other.'))
    op.add_column('webhook', sa.Column('retry_at', sa.DateTime(timezone=True), nullable=True, comment='Until when it rests after a failure.'))
    op.add_column('webhook', sa.Column('disabled_reason', sa.Text(), nullable=True, comment='Why it is disabled: request, failing or gone; null where it is not.'))
    op.add_column('webhook', sa.Column('dropped', sa.BigInteger(), server_default='0', nullable=False, comment='Messages that were not kept for it, since too many waited.'))
    op.add_column('webhook', sa.Column('dropped_at', sa.DateTime(timezone=True), nullable=True, comment='When the last of them was dropped.'))
    op.execute(ADMIT)
    op.execute("CREATE TRIGGER admit_message BEFORE INSERT ON webhook_delivery FOR EACH ROW EXECUTE FUNCTION admit_webhook_message()")
    op.execute("SET LOCAL row_security = on")
    bound = op.get_bind().exec_driver_sql(BOUND).scalar_one()
    op.execute("SET LOCAL row_security = off")
    for table in ('webhook', 'webhook_queue') if bound else ():
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    # One row a tenant that has webhooks; a turn that finds nothing ends the wait.
    op.execute("INSERT INTO webhook_queue (tenant_id, due_at) SELECT DISTINCT tenant_id, now() FROM webhook ON CONFLICT DO NOTHING")
    for table in ('webhook', 'webhook_queue') if bound else ():
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.execute("DROP TRIGGER admit_message ON webhook_delivery")
    op.execute("DROP FUNCTION admit_webhook_message()")
    for column in ('dropped_at', 'dropped', 'disabled_reason', 'retry_at', 'failures'):
        op.drop_column('webhook', column)
    op.drop_table('webhook_queue')

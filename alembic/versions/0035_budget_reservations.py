"""What calls of models under way may cost, for all processes of a tenant: a budget holds for them together.

Addition only (requirement 13.3). A worker of the version before reserves in its own memory, as it did: until it is
replaced its calls in flight are not seen by others.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0035"
down_revision: str | None = "0034"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

# fmt: off


def upgrade() -> None:
    op.create_table('budget_reservation',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The space that asks.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that pays.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the asking process.'),
    sa.Column('job_id', sa.Uuid(), nullable=True, comment='The job that asks: with its lease the reservation goes. Null for a request.'),
    sa.Column('cost_usd', sa.Numeric(precision=18, scale=8), nullable=False, comment='Price of the call at most, US dollars.'),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False, comment='When the call has ended, whoever made it.'),
    sa.ForeignKeyConstraint(['tenant_id', 'knowledge_space_id'], ['knowledge_space.tenant_id', 'knowledge_space.id'], name=op.f('fk_budget_reservation_tenant_id_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'tenant_id', 'id', name=op.f('pk_budget_reservation')),
    comment='What calls under way may cost, of tenants and spaces with a budget; it counts as spent until the call ends. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_budget_reservation_tenant_id'), 'budget_reservation', ['tenant_id'])
    op.execute("ALTER TABLE budget_reservation ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE budget_reservation FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON budget_reservation USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    op.drop_table('budget_reservation')

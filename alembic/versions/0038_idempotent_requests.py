"""Requests that carried an idempotency key, with their answers, for a day.

Addition only (requirement 13.3). May be emptied at any time: a repeat is then carried out again.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0038"
down_revision: str | None = "0037"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

# fmt: off


def upgrade() -> None:
    op.create_table('idempotent_request',
    sa.Column('principal', sa.Text(), nullable=False, comment="Whose key it is: an API key's public id, or the operator."),
    sa.Column('idempotency_key', sa.Text(), nullable=False, comment='The key, as it was sent.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=True, comment="The principal's tenant; null for the operator."),
    sa.Column('fence', sa.Uuid(), nullable=False, comment='Made for each try; only its holder may finish the row.'),
    sa.Column('leased_until', sa.DateTime(timezone=True), nullable=False, comment='How long a request under way keeps the key.'),
    sa.Column('fingerprint', sa.LargeBinary(), nullable=True, comment='SHA-256 of method, path, query and body, once it is carried out.'),
    sa.Column('status', sa.Integer(), nullable=True, comment='The status of its answer.'),
    sa.Column('media_type', sa.Text(), nullable=True, comment='The content type of its answer.'),
    sa.Column('answer', sa.LargeBinary(), nullable=True, comment="Its answer under a pad that only the caller's token gives."),
    sa.Column('changed', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Whether it changed anything; a read is run again.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('done_at', sa.DateTime(timezone=True), nullable=True, comment='When it was carried out.'),
    sa.CheckConstraint('octet_length(idempotency_key) BETWEEN 1 AND 255', name=op.f('ck_idempotent_request_key_size')),
    sa.CheckConstraint('(done_at IS NULL) = (fingerprint IS NULL)', name=op.f('ck_idempotent_request_done_is_known')),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_idempotent_request_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('principal', 'idempotency_key', name=op.f('pk_idempotent_request')),
    comment="Requests with an Idempotency-Key and their answers, sealed with the caller's token, for a day. Walled by app.tenant_id."
    )
    for column in ('created_at', 'tenant_id'):
        op.create_index(op.f(f"ix_idempotent_request_{column}"), 'idempotent_request', [column])
    op.execute("ALTER TABLE idempotent_request ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE idempotent_request FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON idempotent_request USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    op.drop_table('idempotent_request')

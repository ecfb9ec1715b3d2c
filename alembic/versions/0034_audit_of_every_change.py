"""What the audit of every change says besides: which kind of actor, which ids, from where, how it ended, and numbers.

Addition only (requirement 13.3): rows of before, and those of a process of the version before, have the defaults.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0034"
down_revision: str | None = "0033"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('audit_event', sa.Column('actor_kind', sa.Text(), server_default='unknown', nullable=False, comment='account, key, operator, job; unknown for rows of before.'))
    op.add_column('audit_event', sa.Column('outcome', sa.Text(), server_default='done', nullable=False, comment='done or refused; what failed changed nothing and has no row.'))
    op.add_column('audit_event', sa.Column('other_ids', sa.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False, comment='Ids of what the act concerned besides.'))
    op.add_column('audit_event', sa.Column('details', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment='Numbers, flags and codes; never words of a document.'))
    op.add_column('audit_event', sa.Column('door', sa.Text(), server_default='program', nullable=False, comment='api, dashboard, cli or worker; program for rows of before.'))
    op.add_column('audit_event', sa.Column('address', sa.Text(), nullable=True, comment='The network address that it came from.'))
    op.alter_column('audit_event', 'actor', comment="Who: a key's public id, a member's address, 'operator', 'cli' or a job.", existing_comment="Who: a key's public id, 'operator' or 'cli'.", existing_nullable=False)
    # Not CONCURRENTLY: that waits for whoever waits for the migration's own lock. A second a million rows.
    op.create_index(op.f('ix_audit_event_tenant_id_id'), 'audit_event', ['tenant_id', 'id'], unique=False)


def downgrade() -> None:
    op.drop_index(op.f('ix_audit_event_tenant_id_id'), table_name='audit_event')
    op.alter_column('audit_event', 'actor', comment="Who: a key's public id, 'operator' or 'cli'.", existing_comment="Who: a key's public id, a member's address, 'operator', 'cli' or a job.", existing_nullable=False)
    for column in ('address', 'door', 'details', 'other_ids', 'outcome', 'actor_kind'):
        op.drop_column('audit_event', column)

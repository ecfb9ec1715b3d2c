"""Questions that people asked on the dashboard, kept for whoever asked them; never the answers.

Addition only (requirement 13.3).
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0036"
down_revision: str | None = "0035"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

# fmt: off


def upgrade() -> None:
    op.create_table('asked_question',
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that owns the space.'),
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The space that was asked.'),
    sa.Column('account_id', sa.Uuid(), nullable=True, comment='Who asked.'),
    sa.Column('api_key_id', sa.Uuid(), nullable=True, comment='Or the key that did.'),
    sa.Column('question', sa.Text(), nullable=False, comment='The question as it was asked.'),
    sa.Column('scope', sa.Text(), nullable=False, comment='local or global.'),
    sa.Column('as_of', sa.DateTime(timezone=True), nullable=True, comment='The moment that was asked about.'),
    sa.Column('asked_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment='When it was asked last.'),
    sa.CheckConstraint('num_nonnulls(account_id, api_key_id) >= 1', name=op.f('ck_asked_question_has_bearer')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_asked_question_account_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['api_key_id'], ['api_key.id'], name=op.f('fk_asked_question_api_key_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['tenant_id', 'knowledge_space_id'], ['knowledge_space.tenant_id', 'knowledge_space.id'], name=op.f('fk_asked_question_tenant_id_knowledge_space_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_asked_question_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_asked_question')),
    comment='Questions asked on the dashboard, for whoever asked them. Walled by app.tenant_id.'
    )
    for columns in (('knowledge_space_id',), ('tenant_id', 'asked_at'), ('account_id', 'knowledge_space_id', 'asked_at'), ('api_key_id', 'knowledge_space_id', 'asked_at')):
        op.create_index(op.f(f"ix_asked_question_{'_'.join(columns)}"), 'asked_question', list(columns))
    op.execute("ALTER TABLE asked_question ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE asked_question FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON asked_question USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    op.drop_table('asked_question')

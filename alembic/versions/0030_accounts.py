"""People who sign in to the dashboard: accounts, sessions and one-time links, each of one tenant.

Addition only (requirement 13.3). Whoever signs in is looked for by platform sessions.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0030"
down_revision: str | None = "0029"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"
TABLES = ("account", "dashboard_session", "sign_in_link")
ROLES = "role IN ('viewer', 'editor', 'admin')"
MADE = "When the row was made, by the database's clock."
ID = "uuid v7, made by the application."

# fmt: off


def upgrade() -> None:
    op.create_table('account',
    sa.Column('id', sa.Uuid(), nullable=False, comment=ID),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant whose member it is.'),
    sa.Column('email', sa.Text(), nullable=False, comment='In lower case; by it the account is found.'),
    sa.Column('role', sa.Text(), nullable=False, comment='viewer reads, editor also changes, admin also governs.'),
    sa.Column('password_hash', sa.Text(), nullable=True, comment='Argon2id with its parameters; null where only links sign in.'),
    sa.Column('is_operator', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='May see the pages of the whole installation.'),
    sa.Column('failed_attempts', sa.Integer(), server_default='0', nullable=False, comment='Wrong passwords since the last right one.'),
    sa.Column('locked_until', sa.DateTime(timezone=True), nullable=True, comment='Until then no password is compared, right or wrong.'),
    sa.Column('last_signed_in_at', sa.DateTime(timezone=True), nullable=True, comment='When it last signed in.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment=MADE),
    sa.CheckConstraint(ROLES, name=op.f('ck_account_role_known')),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_account_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_account')),
    sa.UniqueConstraint('tenant_id', 'email', name=op.f('uq_account_tenant_id_email')),
    comment='Members of a tenant who sign in to the dashboard. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_account_email'), 'account', ['email'])
    op.create_table('dashboard_session',
    sa.Column('id', sa.Uuid(), nullable=False, comment=ID),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that it is signed in to.'),
    sa.Column('token_hash', sa.Text(), nullable=False, comment="SHA-256 of the cookie's 256 random bits."),
    sa.Column('account_id', sa.Uuid(), nullable=True, comment='Who signed in.'),
    sa.Column('api_key_id', sa.Uuid(), nullable=True, comment='Or the key that did.'),
    sa.Column('last_seen_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment='Last request, written at most once a minute.'),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False, comment='When it ends however much it is used.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment=MADE),
    sa.CheckConstraint('num_nonnulls(account_id, api_key_id) >= 1', name=op.f('ck_dashboard_session_has_bearer')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_dashboard_session_account_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['api_key_id'], ['api_key.id'], name=op.f('fk_dashboard_session_api_key_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_dashboard_session_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_dashboard_session')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_dashboard_session_token_hash')),
    comment='Browsers that are signed in, by account or by API key. Walled by app.tenant_id.'
    )
    for column in ("account_id", "api_key_id", "tenant_id"):
        op.create_index(op.f(f'ix_dashboard_session_{column}'), 'dashboard_session', [column])
    op.create_table('sign_in_link',
    sa.Column('id', sa.Uuid(), nullable=False, comment=ID),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that it invites to.'),
    sa.Column('token_hash', sa.Text(), nullable=False, comment="SHA-256 of the link's 256 random bits."),
    sa.Column('email', sa.Text(), nullable=False, comment='The account that it makes or signs in.'),
    sa.Column('role', sa.Text(), nullable=False, comment='The role there.'),
    sa.Column('is_operator', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment="Whether the account becomes an operator's."),
    sa.Column('invited_by', sa.Text(), nullable=False, comment='Who made it, as the audit log names them.'),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False, comment='When it ends unused.'),
    sa.Column('used_at', sa.DateTime(timezone=True), nullable=True, comment='When it was used.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment=MADE),
    sa.CheckConstraint(ROLES, name=op.f('ck_sign_in_link_role_known')),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_sign_in_link_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sign_in_link')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_sign_in_link_token_hash')),
    comment='Links that work once: invitations, and the first sign-in. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_sign_in_link_tenant_id'), 'sign_in_link', ['tenant_id'])
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)

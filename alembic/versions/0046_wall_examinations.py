"""The last examination of the walls, kept so that every server process shows the same one.

Addition only (requirement 13.3). A server of the version before keeps its own and leaves the rows alone.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0046"
down_revision: str | None = "0045"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TENANT = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
PLATFORM = "current_setting('app.platform', true) = 'on'"

# fmt: off


def upgrade() -> None:
    op.create_table('wall_examination',
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant of the operator who asked.'),
    sa.Column('examined_at', sa.DateTime(timezone=True), nullable=False, comment='When the examination ended.'),
    sa.Column('seconds', sa.Float(), nullable=False, comment='How long it took.'),
    sa.Column('actor', sa.Text(), nullable=False, comment='Who asked for it.'),
    sa.Column('verdicts', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='A list of subject, wall, state and sentences, as `citegraph doctor` gives them.'),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_wall_examination_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('tenant_id', name=op.f('pk_wall_examination')),
    comment='Verdicts on the walls between tenants, as they were last examined for operators who belong to this tenant: names of tables and roles, no word of any document. Walled by app.tenant_id.'
    )
    op.execute("ALTER TABLE wall_examination ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE wall_examination FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON wall_examination USING ({TENANT} OR {PLATFORM}) WITH CHECK ({TENANT} OR {PLATFORM})")


def downgrade() -> None:
    op.drop_table('wall_examination')

"""Leases on answers that a process asks a model for, so that no other process pays for the same answer.

Addition only (requirement 13.3). A process of an earlier version takes no leases and may pay a second time.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0066"
down_revision: str | None = "0065"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('model_answer_lease',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('key', sa.Text(), nullable=False, comment='The answer, by its key in model_answer.'),
    sa.Column('holder', sa.Uuid(), nullable=False, comment='uuid v7, made by the asking process for one group of calls.'),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=False, comment='When another process may ask; the holder renews it while it lives.'),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_model_answer_lease_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'key', name=op.f('pk_model_answer_lease')),
    comment='Answers that a process asks a model for at this moment: others wait for them instead of paying twice.'
    )
    op.execute("ALTER TABLE model_answer_lease ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE model_answer_lease FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON model_answer_lease USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE model_answer_lease ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE model_answer_lease SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    op.drop_table('model_answer_lease')

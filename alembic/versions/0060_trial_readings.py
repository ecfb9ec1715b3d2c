"""Chunks are read by another model, or by other settings, beside the graph: what such a trial read of each.

Addition only (requirement 13.3). Rows go with their chunk and with the job that read it.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0060"
down_revision: str | None = "0059"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('trial_reading',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('job_id', sa.Uuid(), nullable=False, comment='The trial: the job that read the chunk.'),
    sa.Column('chunk_id', sa.Uuid(), nullable=False, comment='The chunk that was read.'),
    sa.Column('claims', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='The claims that were read in it, each with its ends, relation type, polarity, confidence and quote.'),
    sa.Column('failure', sa.Text(), nullable=True, comment='Stable code of why it could not be read; null where it was.'),
    sa.Column('seconds', sa.REAL(), nullable=False, comment='Its share of the time that its documents took.'),
    sa.CheckConstraint('seconds >= 0', name=op.f('ck_trial_reading_seconds')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'chunk_id'], ['knowledge_chunk.knowledge_space_id', 'knowledge_chunk.id'], name=op.f('fk_trial_reading_knowledge_space_id_chunk_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'job_id'], ['job.knowledge_space_id', 'job.id'], name=op.f('fk_trial_reading_knowledge_space_id_job_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'job_id', 'chunk_id', name=op.f('pk_trial_reading')),
    comment='Trials: what another model, or other settings, read in a sample of chunks. Nothing of it stands in the graph.'
    )
    op.create_index('ix_trial_reading_chunk', 'trial_reading', ['knowledge_space_id', 'chunk_id'], unique=False)
    op.execute("ALTER TABLE trial_reading ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE trial_reading FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON trial_reading USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE trial_reading ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE trial_reading SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    op.drop_table('trial_reading')

"""Golden questions of a space, with what is expected of their answers, and what became of each in every run.

Addition only (requirement 13.3). Questions go with their space, outcomes with their question and with the job that asked.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0064"
down_revision: str | None = "0063"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
OWNER = "The knowledge space that owns the row; row level security compares it with app.space_id."

# fmt: off


def upgrade() -> None:
    op.create_table('golden_question',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment=OWNER),
    sa.Column('id', sa.Uuid(), nullable=False, comment='Id of the question.'),
    sa.Column('question', sa.Text(), nullable=False, comment='The question, in words.'),
    sa.Column('answers', sa.Text(), nullable=False, comment='Texts of which the answer holds one, a line each; empty: any answer.'),
    sa.Column('sources', sa.Text(), nullable=False, comment='Ids, addresses or titles of documents of which the answer cites one, a line each; without answers and sources the question is to be refused.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_golden_question_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_golden_question')),
    sa.UniqueConstraint('knowledge_space_id', 'question', name='uq_golden_question_question'),
    comment='Questions by which a space measures its answers, with what is expected; written by people, never taken from documents.'
    )
    op.create_table('golden_outcome',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment=OWNER),
    sa.Column('job_id', sa.Uuid(), nullable=False, comment='The run: the job that asked.'),
    sa.Column('question_id', sa.Uuid(), nullable=False, comment='The question that was asked.'),
    sa.Column('reply', sa.Text(), nullable=False, comment='answered, refused, or failed with an error.'),
    sa.Column('answer_held', sa.Boolean(), nullable=True, comment='Whether the answer held an expected text; null where none is expected.'),
    sa.Column('source_cited', sa.Boolean(), nullable=True, comment='Whether it cited an expected document; null where none is expected.'),
    sa.Column('seconds', sa.REAL(), nullable=False, comment='How long the answer took.'),
    sa.Column('cost_usd', sa.Numeric(precision=18, scale=8), nullable=False, comment='What its calls to a model cost.'),
    sa.CheckConstraint("reply IN ('answered', 'refused', 'failed')", name=op.f('ck_golden_outcome_reply')),
    sa.CheckConstraint('seconds >= 0 AND cost_usd >= 0', name=op.f('ck_golden_outcome_measures')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'job_id'], ['job.knowledge_space_id', 'job.id'], name=op.f('fk_golden_outcome_knowledge_space_id_job_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'question_id'], ['golden_question.knowledge_space_id', 'golden_question.id'], name=op.f('fk_golden_outcome_knowledge_space_id_question_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'job_id', 'question_id', name=op.f('pk_golden_outcome')),
    comment='What became of each golden question in each run: no word of an answer, and what it cost.'
    )
    op.create_index('ix_golden_outcome_question', 'golden_outcome', ['knowledge_space_id', 'question_id'], unique=False)
    for table in ('golden_question', 'golden_outcome'):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({SPACE}) WITH CHECK ({SPACE})")
        # As in migration 0004: plans do not depend on which spaces exist.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN knowledge_space_id SET STATISTICS 0")
        op.execute(f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    op.drop_table('golden_outcome')
    op.drop_table('golden_question')

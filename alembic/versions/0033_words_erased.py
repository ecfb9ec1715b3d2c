"""What the deletion of a document needs to find: which chunks a kept answer is about, and that something was deleted.

Addition only (requirement 13.3). Answers of before are about no chunk that anybody knows: the next deletion drops
them. A worker of the version before ties no answer; likewise.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0033"
down_revision: str | None = "0032"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.add_column('model_answer', sa.Column('of_chunks', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Whether it is about chunks, which model_answer_chunk names.'))
    op.create_index('ix_model_answer_untied', 'model_answer', ['knowledge_space_id'], postgresql_where=sa.text('NOT of_chunks'))
    op.create_table('model_answer_chunk',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('chunk_id', sa.Uuid(), nullable=False, comment='A chunk that the model was shown.'),
    sa.Column('key', sa.Text(), nullable=False, comment='The answer about it.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'chunk_id'], ['knowledge_chunk.knowledge_space_id', 'knowledge_chunk.id'], name=op.f('fk_model_answer_chunk_knowledge_space_id_chunk_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'chunk_id', 'key', name=op.f('pk_model_answer_chunk')),
    comment="Which chunks a kept answer of a model is about: with the last of them it goes."
    )
    op.create_index('ix_model_answer_chunk_key', 'model_answer_chunk', ['knowledge_space_id', 'key'], unique=False)
    op.execute("ALTER TABLE model_answer_chunk ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE model_answer_chunk FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON model_answer_chunk USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE model_answer_chunk ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE model_answer_chunk SET (autovacuum_analyze_scale_factor = 0.02)")
    op.add_column('knowledge_space', sa.Column('erasures', sa.BigInteger(), server_default='0', nullable=False, comment='How often documents or chunks were deleted: what a model says meanwhile is not kept.'))


def downgrade() -> None:
    op.drop_column('knowledge_space', 'erasures')
    op.drop_table('model_answer_chunk')
    op.drop_index('ix_model_answer_untied', 'model_answer')
    op.drop_column('model_answer', 'of_chunks')

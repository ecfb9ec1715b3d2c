"""Senses of names: two things of one name, told apart; and the vectors of merged nodes, kept for their return.

Addition only (requirement 13.3). A worker of the version before writes no sense and no vectors; it undoes merges as
it did, without vectors, and knows nothing of splits.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0027"
down_revision: str | None = "0026"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.add_column('node_mention', sa.Column('sense', sa.Text(), nullable=True, comment='Which of several things of that name the chunk means; null where it does not say.'))
    op.add_column('node_merge', sa.Column('vectors', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment="The loser's vectors: [set, vector as text]."))
    op.create_table('node_split',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7: in the order of the splits.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node that was split.'),
    sa.Column('new_node_id', sa.Uuid(), nullable=False, comment='The node that took a part of its mentions.'),
    sa.Column('mentions', sa.Integer(), nullable=False, comment='How many mentions it took.'),
    sa.Column('content_hashes', postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False, comment="Of a person's split, the hashes of the chunks that moved: their text goes there again."),
    sa.Column('reason', sa.Text(), nullable=False, comment='sense or person.'),
    sa.Column('decided_by', sa.Text(), nullable=False, comment="rules, a model's name, or a person's actor name."),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('undone_at', sa.DateTime(timezone=True), nullable=True, comment='When it was undone; null while it holds.'),
    sa.Column('undone_by', sa.Text(), nullable=True, comment='Who undid it.'),
    sa.CheckConstraint("reason IN ('sense', 'person')", name=op.f('ck_node_split_reason')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_node_split_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_node_split')),
    comment='Ledger of splits: which node became two, why, by whom; undone by merging the two.'
    )
    op.create_index('ix_node_split_new', 'node_split', ['knowledge_space_id', 'new_node_id'], unique=False)
    op.execute("ALTER TABLE node_split ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE node_split FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON node_split USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE node_split ALTER COLUMN knowledge_space_id SET STATISTICS 0")


def downgrade() -> None:
    op.drop_table('node_split')
    op.drop_column('node_merge', 'vectors')
    op.drop_column('node_mention', 'sense')

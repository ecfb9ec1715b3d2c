"""Typed attributes of nodes (requirement 5.6): each value where a chunk states it.

Addition only (requirement 13.3). A worker of the version before writes none and carries none along when it merges
nodes: what the loser had goes with it, until its chunks are read again.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('node_attribute',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('chunk_id', sa.Uuid(), nullable=False, comment='The chunk that states it.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node that it is said of.'),
    sa.Column('name', sa.Text(collation='C'), nullable=False, comment="The attribute, as the space's settings call it."),
    sa.Column('value', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='A text, a number, true or false; a date as text, YYYY, YYYY-MM or YYYY-MM-DD.'),
    sa.Column('said_of', sa.Text(), nullable=False, comment='The name that the chunk gives the node, normalised.'),
    sa.Column('quote', sa.Text(), nullable=False, comment='The words of the chunk that state it.'),
    sa.Column('char_start', sa.Integer(), nullable=False, comment='First character of those words in the chunk, from 0.'),
    sa.Column('char_end', sa.Integer(), nullable=False, comment='One past their last character in the chunk.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'chunk_id'], ['knowledge_chunk.knowledge_space_id', 'knowledge_chunk.id'], name=op.f('fk_node_attribute_knowledge_space_id_chunk_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_node_attribute_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'chunk_id', 'node_id', 'name', name=op.f('pk_node_attribute')),
    comment="Typed attributes of nodes as chunks state them; what most chunks say stands in the node's metadata."
    )
    op.create_index('ix_node_attribute_node', 'node_attribute', ['knowledge_space_id', 'node_id'], unique=False)
    op.execute("ALTER TABLE node_attribute ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE node_attribute FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON node_attribute USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE node_attribute ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE node_attribute SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    op.drop_table('node_attribute')

"""Tags of nodes: at most eight words each (requirement 11).

Addition only (requirement 13.3): workers of the version before set none and keep working.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('node_tag',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node.'),
    sa.Column('tag', sa.Text(collation='C'), nullable=False, comment='One word in lower case; parts joined by hyphens.'),
    sa.Column('ordinal', sa.SmallInteger(), nullable=False, comment='0 the most relevant of its node.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.CheckConstraint('char_length(tag) BETWEEN 1 AND 64', name=op.f('ck_node_tag_tag_size')),
    sa.CheckConstraint('ordinal BETWEEN 0 AND 7', name=op.f('ck_node_tag_at_most_eight')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_node_tag_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'node_id', 'tag', name=op.f('pk_node_tag')),
    comment='Tags of nodes: one word in lower case, at most eight to a node.'
    )
    op.create_index('ix_node_tag_tag', 'node_tag', ['knowledge_space_id', 'tag', 'node_id'], unique=False)
    op.execute("ALTER TABLE node_tag ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE node_tag FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON node_tag USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE node_tag ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE node_tag SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    op.drop_table("node_tag")

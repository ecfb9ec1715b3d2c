"""Where the parts of a drawn graph stand, kept so that every server process finds what one has worked out.

Addition only (requirement 13.3). Nothing rests on its rows: a server of the version before leaves them alone.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0037"
down_revision: str | None = "0036"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('graph_layout',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('part', sa.Text(collation='C'), nullable=False, comment='top, or what is inside a community, or ties of one.'),
    sa.Column('version', sa.Text(), nullable=False, comment="The graph's revision and the run of communities that it was worked out for."),
    sa.Column('body', sa.LargeBinary(), nullable=False, comment='Ids, places and sums, as JSON.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.CheckConstraint('octet_length(part) BETWEEN 1 AND 200', name=op.f('ck_graph_layout_part_size')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_graph_layout_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'part', name=op.f('pk_graph_layout')),
    comment='Where the parts of a drawn graph stand: ids and numbers, no word of any document. May be emptied at any time.'
    )
    op.execute("ALTER TABLE graph_layout ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE graph_layout FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON graph_layout USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE graph_layout ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE graph_layout SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    op.drop_table('graph_layout')

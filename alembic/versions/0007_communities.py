"""Communities: runs of the detection, what they found, who belongs where, and what became of others before.

Addition only (requirement 13.3): workers of the version before detect none and keep working.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
TABLES = ("community_run", "community", "community_member", "community_event")

# fmt: off


def upgrade() -> None:
    op.create_table('community_run',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7: in the order of the runs.'),
    sa.Column('graph_revision', sa.BigInteger(), nullable=False, comment="The space's graph revision that was read; while it stands nothing is to be done."),
    sa.Column('read_at', sa.DateTime(timezone=True), nullable=False, comment="When the graph was read, by the database's clock."),
    sa.Column('seed', sa.BigInteger(), nullable=False, comment="Seed of Leiden's choices."),
    sa.Column('min_weight', sa.REAL(), nullable=False, comment='Least summed weight of a pair of nodes.'),
    sa.Column('levels', sa.SmallInteger(), nullable=False, comment='Levels that were asked for.'),
    sa.Column('nodes', sa.Integer(), nullable=False, comment='Nodes of the space.'),
    sa.Column('pairs', sa.Integer(), nullable=False, comment='Pairs of nodes heavy enough to count.'),
    sa.Column('communities', sa.Integer(), nullable=False, comment='Communities of all levels.'),
    sa.Column('modularity', sa.Double(), nullable=False, comment='Modularity of level 0, at most 1.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_community_run_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_community_run')),
    comment='Runs of the community detection, newest in force; the last fifty are kept.'
    )
    op.create_table('community',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='Made of its first members, so that a run repeated gives it again.'),
    sa.Column('level', sa.SmallInteger(), nullable=False, comment='0 the coarsest; each further one divides them.'),
    sa.Column('parent_id', sa.Uuid(), nullable=True, comment='The community of the level before that holds it.'),
    sa.Column('member_count', sa.Integer(), nullable=False, comment='Nodes in it, those of its parts included.'),
    sa.Column('weight', sa.Double(), nullable=False, comment="Summed weight of its nodes' pairs, each end counted: what modularity goes by."),
    sa.Column('content_hash', sa.Uuid(), nullable=False, comment='128 bits over its members and the facts among them.'),
    sa.Column('title', sa.Text(), nullable=False, comment='Given once; its central nodes where no model gave one.'),
    sa.Column('summary', sa.Text(), server_default='', nullable=False, comment='What the report says in short.'),
    sa.Column('findings', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment='The report: [{"text", "edge_ids"}], each finding with the edges that it rests on.'),
    sa.Column('reported_hash', sa.Uuid(), nullable=True, comment='content_hash when the report was written; another one makes it stale.'),
    sa.Column('reported_by', sa.Text(), nullable=True, comment="rules or the model's name; null before the first report."),
    sa.Column('reported_at', sa.DateTime(timezone=True), nullable=True, comment='When the report was written.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('updated_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row last changed, by the database's clock."),
    sa.CheckConstraint('level >= 0', name=op.f('ck_community_level_range')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'parent_id'], ['community.knowledge_space_id', 'community.id'], name=op.f('fk_community_knowledge_space_id_parent_id'), ondelete='SET NULL (parent_id)'),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_community_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_community')),
    comment='Communities: nodes that hang together, by levels, with a report that cites edges.'
    )
    op.create_index('ix_community_level', 'community', ['knowledge_space_id', 'level', sa.literal_column('member_count DESC'), 'id'], unique=False)
    op.create_index('ix_community_parent', 'community', ['knowledge_space_id', 'parent_id'], unique=False)
    op.create_table('community_member',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node; may be gone since the run.'),
    sa.Column('community_id', sa.Uuid(), nullable=False, comment='The finest community that holds it.'),
    sa.Column('weight', sa.REAL(), nullable=False, comment='Weight of its pairs within its community of level 0: how central it is.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'community_id'], ['community.knowledge_space_id', 'community.id'], name=op.f('fk_community_member_knowledge_space_id_community_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'node_id', name=op.f('pk_community_member')),
    comment='Which node is in which community: the finest one, whose parents hold it too.'
    )
    op.create_index('ix_community_member_community', 'community_member', ['knowledge_space_id', 'community_id', sa.literal_column('weight DESC')], unique=False)
    op.create_table('community_event',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('run_id', sa.Uuid(), nullable=False, comment='The run that saw it.'),
    sa.Column('community_id', sa.Uuid(), nullable=False, comment='The community; may be gone.'),
    sa.Column('change', sa.Text(), nullable=False, comment='new, split, merged or gone.'),
    sa.Column('level', sa.SmallInteger(), nullable=False, comment='Its level.'),
    sa.Column('title', sa.Text(), nullable=False, comment='Its title at the time.'),
    sa.Column('other_ids', sa.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False, comment='The community that it split from, or that it merged into.'),
    sa.CheckConstraint("change IN ('new', 'split', 'merged', 'gone')", name=op.f('ck_community_event_change')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'run_id'], ['community_run.knowledge_space_id', 'community_run.id'], name=op.f('fk_community_event_knowledge_space_id_run_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_community_event')),
    comment='Lineage: communities that were new, split off, merged into another, or gone.'
    )
    op.create_index('ix_community_event_community', 'community_event', ['knowledge_space_id', 'community_id'], unique=False)
    op.create_index('ix_community_event_run', 'community_event', ['knowledge_space_id', 'run_id'], unique=False)
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({SPACE}) WITH CHECK ({SPACE})")
        # As in migration 0004: plans do not depend on which spaces exist.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN knowledge_space_id SET STATISTICS 0")
        op.execute(f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.02)")


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)

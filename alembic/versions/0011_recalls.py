"""Recalls of chunks and edges: how often, how well and when last they were returned (requirement 12.1).

Apart from the rows that they count: those are wide, indexed many times over and read by every walk.
Addition only (requirement 13.3): workers of the version before record none and keep working.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
TABLES = ("chunk_recall", "edge_recall")
RETIRED = {
    "access_count": (sa.Integer(), False, "How often answers rested on it."),
    "last_accessed_at": (sa.DateTime(timezone=True), True, "When an answer last rested on it."),
}

# fmt: off


def upgrade() -> None:
    op.create_table('chunk_recall',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('chunk_id', sa.Uuid(), nullable=False, comment='The chunk.'),
    sa.Column('recall_count', sa.BigInteger(), nullable=False, comment='How often it was returned to a caller.'),
    sa.Column('total_score', sa.Double(), nullable=False, comment='Sum of the scores that it was returned with, each 0 to 1.'),
    sa.Column('last_recalled_at', sa.DateTime(timezone=True), nullable=False, comment="When it was last returned, by the database's clock."),
    sa.CheckConstraint('recall_count > 0', name=op.f('ck_chunk_recall_recalled')),
    sa.CheckConstraint("total_score >= 0 AND total_score < 'Infinity'", name=op.f('ck_chunk_recall_total_score_range')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'chunk_id'], ['knowledge_chunk.knowledge_space_id', 'knowledge_chunk.id'], name=op.f('fk_chunk_recall_knowledge_space_id_chunk_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'chunk_id', name=op.f('pk_chunk_recall')),
    comment='How often, how well and when last chunks were returned to callers; what eviction goes by.'
    )
    op.create_table('edge_recall',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('edge_id', sa.Uuid(), nullable=False, comment='The edge.'),
    sa.Column('recall_count', sa.BigInteger(), nullable=False, comment='How often it was returned to a caller.'),
    sa.Column('total_score', sa.Double(), nullable=False, comment='Sum of the scores that it was returned with, each 0 to 1.'),
    sa.Column('last_recalled_at', sa.DateTime(timezone=True), nullable=False, comment="When it was last returned, by the database's clock."),
    sa.CheckConstraint('recall_count > 0', name=op.f('ck_edge_recall_recalled')),
    sa.CheckConstraint("total_score >= 0 AND total_score < 'Infinity'", name=op.f('ck_edge_recall_total_score_range')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'edge_id'], ['graph_edge.knowledge_space_id', 'graph_edge.id'], name=op.f('fk_edge_recall_knowledge_space_id_edge_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'edge_id', name=op.f('pk_edge_recall')),
    comment='How often, how well and when last edges were returned to callers; what the score of a fact goes by.'
    )
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({SPACE}) WITH CHECK ({SPACE})")
        # As in migration 0004: plans do not depend on which spaces exist. No index holds a counter, so room
        # on the page makes every update a HOT one.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN knowledge_space_id SET STATISTICS 0")
        op.execute(f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.02, fillfactor = 80)")
    for column, (kind, nullable, comment) in RETIRED.items():
        op.alter_column('graph_edge', column, existing_type=kind, existing_nullable=nullable, existing_comment=comment,
                        comment='Not counted here any more: edge_recall has it.')


def downgrade() -> None:
    for column, (kind, nullable, comment) in RETIRED.items():
        op.alter_column('graph_edge', column, existing_type=kind, existing_nullable=nullable, comment=comment,
                        existing_comment='Not counted here any more: edge_recall has it.')
    for table in reversed(TABLES):
        op.drop_table(table)

"""Doubtful pairs of a space, kept for its graph's revision; and an index of the documents that are not ready.

Addition only (requirement 13.3). Nothing rests on the rows of pairs: a server of the version before leaves
them alone. The index holds what is queued, at work or failed, so that lists and counts of these read no others.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0039"
down_revision: str | None = "0038"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('kept_pairs',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('graph_revision', sa.BigInteger(), nullable=False, comment="The space's graph revision that the names were compared at."),
    sa.Column('seconds', sa.REAL(), nullable=False, comment='How long it took to compare them.'),
    sa.Column('first_nodes', sa.ARRAY(sa.Uuid()), nullable=False, comment='One node of each pair, the likest pair first.'),
    sa.Column('second_nodes', sa.ARRAY(sa.Uuid()), nullable=False, comment='The other node of each pair.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.CheckConstraint('cardinality(first_nodes) = cardinality(second_nodes)', name=op.f('ck_kept_pairs_both_ends')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_kept_pairs_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', name=op.f('pk_kept_pairs')),
    comment='Pairs of nodes with names that are alike: ids alone, no word of any document. May be emptied at any time.'
    )
    op.execute("ALTER TABLE kept_pairs ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE kept_pairs FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON kept_pairs USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE kept_pairs ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE kept_pairs SET (autovacuum_analyze_scale_factor = 0.02)")
    # Not CONCURRENTLY: that waits for whoever waits for the migration's own lock. Few rows, a second a million read.
    op.create_index('ix_document_state', 'document', ['knowledge_space_id', 'state', 'id'], unique=False, postgresql_where=sa.text("state <> 'ready'"))


def downgrade() -> None:
    op.drop_index('ix_document_state', table_name='document', postgresql_where=sa.text("state <> 'ready'"))
    op.drop_table('kept_pairs')

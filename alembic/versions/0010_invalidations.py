"""The ledger of ended claims (requirement 4, contradictions), and who set a tag.

Addition only (requirement 13.3): workers of the version before end no claim, and the tags they set are a person's.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"

# fmt: off


def upgrade() -> None:
    op.create_table('edge_invalidation',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application: in the order of the decisions.'),
    sa.Column('decision_id', sa.Uuid(), nullable=False, comment='Shared by the edges that one decision ended.'),
    sa.Column('edge_id', sa.Uuid(), nullable=False, comment='The edge that ended; may be gone.'),
    sa.Column('kind', sa.Text(), nullable=False, comment='person, or source: a later dated one of another value.'),
    sa.Column('decided_by', sa.Text(), nullable=False, comment="The person's actor name; rules for a source."),
    sa.Column('reason', sa.Text(), nullable=False, comment='Why, in the words of who decided.'),
    sa.Column('invalidated_at', sa.DateTime(timezone=True), nullable=False, comment="What the edge's invalidated_at became: the moment given, or the later source's date."),
    sa.Column('claim_dated_at', sa.DateTime(timezone=True), nullable=True, comment="The date of the ended claim that was compared with the source's."),
    sa.Column('source_edge_id', sa.Uuid(), nullable=True, comment='The edge of the later source; may be gone.'),
    sa.Column('source_chunk_id', sa.Uuid(), nullable=True, comment='Its chunk at the time; may be gone.'),
    sa.Column('graph_revision', sa.BigInteger(), nullable=False, comment="The space's graph revision of the decision."),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('undone_at', sa.DateTime(timezone=True), nullable=True, comment='When it was undone; null while it holds.'),
    sa.Column('undone_by', sa.Text(), nullable=True, comment='Who undid it; rules where a source fell away.'),
    sa.Column('undone_kind', sa.Text(), nullable=True, comment='person, after whom no source ends the edge again, or source.'),
    sa.CheckConstraint("kind IN ('person', 'source')", name=op.f('ck_edge_invalidation_kind')),
    sa.CheckConstraint("undone_kind IN ('person', 'source')", name=op.f('ck_edge_invalidation_undone_kind')),
    sa.CheckConstraint("(kind = 'source') = (source_edge_id IS NOT NULL)", name=op.f('ck_edge_invalidation_source_names_its_edge')),
    sa.CheckConstraint('(undone_at IS NULL) = (undone_kind IS NULL)', name=op.f('ck_edge_invalidation_undone_by_somebody')),
    sa.CheckConstraint('octet_length(reason) BETWEEN 1 AND 4000', name=op.f('ck_edge_invalidation_reason_size')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_edge_invalidation_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_edge_invalidation')),
    comment='Ledger of ended claims: who or which later source ended an edge, why, and whether that was undone.'
    )
    op.create_index('ix_edge_invalidation_decision', 'edge_invalidation', ['knowledge_space_id', 'decision_id'], unique=False)
    op.create_index('ix_edge_invalidation_edge', 'edge_invalidation', ['knowledge_space_id', 'edge_id', 'id'], unique=False)
    op.create_index('ix_edge_invalidation_source', 'edge_invalidation', ['knowledge_space_id', 'source_edge_id'], unique=False)
    op.create_index('uq_edge_invalidation_standing', 'edge_invalidation', ['knowledge_space_id', 'edge_id'], unique=True, postgresql_where=sa.text('undone_at IS NULL'))
    op.execute("ALTER TABLE edge_invalidation ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE edge_invalidation FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON edge_invalidation USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE edge_invalidation ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE edge_invalidation SET (autovacuum_analyze_scale_factor = 0.02)")
    op.add_column('node_tag', sa.Column('origin', sa.Text(), server_default='person', nullable=False, comment="Who set it: person, rules or model; a suggestion never replaces a person's."))
    op.create_check_constraint(op.f('ck_node_tag_origin'), 'node_tag', "origin IN ('person', 'rules', 'model')")


def downgrade() -> None:
    op.drop_column('node_tag', 'origin')
    op.drop_table('edge_invalidation')

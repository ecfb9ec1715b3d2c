"""What entity resolution remembers: the ledger of merges, verdicts on pairs, keys of likely spellings.

Addition only (requirement 13.3): workers of the version before merge without a ledger row and keep working.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
TABLES = ("node_merge", "node_pair_verdict", "node_name_key")

# fmt: off


def upgrade() -> None:
    op.create_table('node_merge',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7: in the order of the merges.'),
    sa.Column('winner_node_id', sa.Uuid(), nullable=False, comment='The node that stayed when this was written.'),
    sa.Column('loser_node_id', sa.Uuid(), nullable=False, comment='The node that went; it returns under this id.'),
    sa.Column('loser_name', sa.Text(), nullable=False, comment='The canonical name it had.'),
    sa.Column('loser_type', sa.Text(), nullable=False, comment='The node type it had.'),
    sa.Column('loser', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='metadata, confidence, source and times that it had.'),
    sa.Column('winner', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='Name, type, confidence and first_seen_at of the winner before.'),
    sa.Column('names', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment="The loser's names: [normalised, as written, kind]."),
    sa.Column('winner_names', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment='Those of the same names that the winner had before.'),
    sa.Column('mentions', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment='Its mentions: [chunk, words, start, end, name, type].'),
    sa.Column('winner_mentions', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment="The winner's own mentions in the same chunks, likewise."),
    sa.Column('edges_from', sa.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False, comment='Edges that left the loser.'),
    sa.Column('edges_to', sa.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False, comment='Edges that entered the loser.'),
    sa.Column('loops', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False, comment='Edges between the two, removed; without quotes, which their passages still hold.'),
    sa.Column('confirmed_edges', sa.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False, comment='Edges whose claim two documents state only since the merge.'),
    sa.Column('reason', sa.Text(), nullable=False, comment='exact, alias, string, embedding, model or person.'),
    sa.Column('decided_by', sa.Text(), nullable=False, comment="rules, a model's name, or a person's actor name."),
    sa.Column('confidence', sa.REAL(), server_default='1', nullable=False, comment='How sure the decision was, 0 to 1.'),
    sa.Column('graph_revision', sa.BigInteger(), nullable=False, comment="The space's graph revision of it: merges are undone by this order, not by clocks."),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('undone_at', sa.DateTime(timezone=True), nullable=True, comment='When it was undone; null while it holds.'),
    sa.Column('undone_by', sa.Text(), nullable=True, comment='Who undid it.'),
    sa.CheckConstraint("reason IN ('exact', 'alias', 'string', 'embedding', 'model', 'person')", name=op.f('ck_node_merge_reason')),
    sa.CheckConstraint('confidence >= 0 AND confidence <= 1', name=op.f('ck_node_merge_confidence_range')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_node_merge_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_node_merge')),
    comment='Ledger of merges: which node became part of which, why, by whom, and how to undo it.'
    )
    op.create_index('ix_node_merge_loser', 'node_merge', ['knowledge_space_id', 'loser_node_id'], unique=False)
    op.create_index('ix_node_merge_winner', 'node_merge', ['knowledge_space_id', 'winner_node_id'], unique=False)
    op.create_table('node_pair_verdict',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('name_a', sa.Text(collation='C'), nullable=False, comment='The first name, normalised.'),
    sa.Column('type_a', sa.Text(collation='C'), nullable=False, comment='The node type of the first.'),
    sa.Column('name_b', sa.Text(collation='C'), nullable=False, comment='The second name, normalised.'),
    sa.Column('type_b', sa.Text(collation='C'), nullable=False, comment='The node type of the second.'),
    sa.Column('same', sa.Boolean(), nullable=False, comment='Whether both are one thing.'),
    sa.Column('decided_by', sa.Text(), nullable=False, comment="A model's name, or a person's actor name."),
    sa.Column('by_person', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment="A person's word; no model replaces it."),
    sa.Column('reason', sa.Text(), server_default='', nullable=False, comment='Why, in a few words of who decided.'),
    sa.Column('confidence', sa.REAL(), server_default='1', nullable=False, comment='How sure the decision was, 0 to 1.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.CheckConstraint('(name_a, type_a) <= (name_b, type_b)', name=op.f('ck_node_pair_verdict_ordered')),
    sa.CheckConstraint('confidence >= 0 AND confidence <= 1', name=op.f('ck_node_pair_verdict_confidence_range')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_node_pair_verdict_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'name_a', 'type_a', 'name_b', 'type_b', name=op.f('pk_node_pair_verdict')),
    comment='Verdicts on pairs of names, so that no pair is asked about twice and a no is kept.'
    )
    op.create_index('ix_node_pair_verdict_second', 'node_pair_verdict', ['knowledge_space_id', 'name_b'], unique=False)
    op.create_table('node_name_key',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('key', sa.Text(collation='C'), nullable=False, comment='=core|type of sure spellings; @, ~, ^ and # of likely ones.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='A node with a name of that key.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_node_name_key_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'key', 'node_id', name=op.f('pk_node_name_key')),
    comment='Keys by which other spellings of a name are found without reading all names.'
    )
    op.create_index('ix_node_name_key_node', 'node_name_key', ['knowledge_space_id', 'node_id'], unique=False)
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

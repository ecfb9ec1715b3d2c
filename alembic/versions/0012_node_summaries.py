"""Summaries of nodes and the state of their gate (requirement 6): nothing is paid for what did not change.

Which nodes have to be looked at is noted by triggers, in the transaction that changes the edge: no writer of
edges can forget it, and whoever sees the change sees its note, however late it commits. Addition only
(requirement 13.3): workers of the version before write no summary, and what they change is noted all the same.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
TABLES = ("changed_node", "node_summary", "summary_episode", "summary_count", "summary_skip")
VIEWS = {
    "inspect_node_summaries": (
        "Summaries of nodes with what the gate last decided; order by looked_at DESC for the latest.",
        """SELECT s.knowledge_space_id, s.node_id, n.canonical_name, n.node_type, s.text, s.written_by,
                  s.summarised_at, s.looked_at, s.last_reason, s.pending, s.due_at, s.refreshed, s.skipped
           FROM node_summary s
           JOIN graph_node n ON n.knowledge_space_id = s.knowledge_space_id AND n.id = s.node_id
           WHERE n.deleted_at IS NULL""",
    ),
    "inspect_summary_gate": (
        "What the summary gate decided, by reason, with each reason''s share of all decisions.",
        """SELECT knowledge_space_id, reason, refreshed, decisions,
                  decisions / sum(decisions) OVER (PARTITION BY knowledge_space_id) AS share, last_at
           FROM summary_count""",
    ),
}

NOTE = """
    INSERT INTO public.changed_node AS standing (knowledge_space_id, node_id, change)
    SELECT node.knowledge_space_id, node.id, gen_random_uuid()
    FROM public.graph_node AS node
    WHERE node.knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid AND node.id IN ({ends})
    ORDER BY node.id
    ON CONFLICT (knowledge_space_id, node_id) DO UPDATE SET change = excluded.change;
    RETURN NULL;
"""
HEAD = "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$ BEGIN {body} END $$"
# A statement's edges at once; edges that go with their node leave no end of theirs to look at.
OF_ROWS = NOTE.format(ends="SELECT from_node_id FROM touched UNION SELECT to_node_id FROM touched")
OF_ROW = NOTE.format(ends="OLD.from_node_id, OLD.to_node_id, NEW.from_node_id, NEW.to_node_id")
# Where no space is open, as while one is deleted with all that it holds, nothing is noted.
OPEN = "coalesce(current_setting('app.space_id', true), '') <> ''"
STATED = (
    "{0}.from_node_id, {0}.to_node_id, {0}.relation_type, {0}.deleted_at IS NULL, {0}.invalidated_at IS NULL"
)
DIFFERS = f"({STATED.format('OLD')}) IS DISTINCT FROM ({STATED.format('NEW')})"

# fmt: off


def upgrade() -> None:
    op.create_table('changed_node',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node.'),
    sa.Column('change', sa.Uuid(), nullable=False, comment='Another one at each change: whoever looked takes away no note of what came since.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_changed_node_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'node_id', name=op.f('pk_changed_node')),
    comment='Nodes whose facts changed since the summary gate looked at them; written by triggers with the change itself.',
    postgresql_with={'fillfactor': '80'}
    )
    op.create_table('node_summary',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node.'),
    sa.Column('text', sa.Text(), nullable=False, comment='The summary, in sentences.'),
    sa.Column('citations', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='[{"char_start", "char_end", "edge_ids"}]: which characters of the text rest on which edges.'),
    sa.Column('written_by', sa.Text(), nullable=False, comment="rules or the model's name."),
    sa.Column('facts_hash', sa.LargeBinary(), nullable=False, comment='SHA-256 of the facts that the summary was written from.'),
    sa.Column('embedding', HALFVEC(), nullable=True, comment="The mean of those facts' vectors; null where none has one."),
    sa.Column('vector_of', sa.Integer(), nullable=False, comment='Number of the episode at which it was written.'),
    sa.Column('summarised_at', sa.DateTime(timezone=True), nullable=False, comment='When it was written.'),
    sa.Column('recent', postgresql.ARRAY(sa.DateTime(timezone=True)), server_default=sa.text("'{}'::timestamptz[]"), nullable=False, comment='Times of the episodes of the burst window.'),
    sa.Column('in_burst', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Whether they are a burst.'),
    sa.Column('held', sa.Integer(), server_default='0', nullable=False, comment='Episodes that a burst has put off.'),
    sa.Column('pending', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Whether something worth a refresh waits.'),
    sa.Column('due_at', sa.DateTime(timezone=True), nullable=True, comment='When what waits is looked at again; null where nothing waits.'),
    sa.Column('last_reason', sa.Text(), nullable=False, comment='Why the gate last decided as it did.'),
    sa.Column('looked_at', sa.DateTime(timezone=True), nullable=False, comment='When the gate last decided.'),
    sa.Column('seen_claims', sa.LargeBinary(), nullable=False, comment='64 bits for each fact seen then: what came and went since is told by them.'),
    sa.Column('episodes', sa.Integer(), nullable=False, comment="Decisions so far; the next one's number."),
    sa.Column('refreshed', sa.Integer(), nullable=False, comment='How many of them wrote the summary.'),
    sa.Column('skipped', sa.Integer(), nullable=False, comment='How many did not.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_node_summary_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'node_id', name=op.f('pk_node_summary')),
    comment='Summaries of nodes, cited, each with the state by which the gate decides about its next refresh.'
    )
    op.create_index('ix_node_summary_due', 'node_summary', ['knowledge_space_id', 'due_at'], unique=False, postgresql_where=sa.text('due_at IS NOT NULL'))
    op.create_table('summary_episode',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node.'),
    sa.Column('number', sa.Integer(), nullable=False, comment='Its place in the history of the node, from 0.'),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False, comment='When the gate looked.'),
    sa.Column('facts_hash', sa.LargeBinary(), nullable=False, comment='SHA-256 of the facts as they then stood.'),
    sa.Column('came', sa.Boolean(), nullable=False, comment='Whether a fact was new.'),
    sa.Column('negates', sa.Boolean(), nullable=False, comment='Whether a new one denies something.'),
    sa.Column('went', sa.Boolean(), nullable=False, comment='Whether a fact was invalidated.'),
    sa.Column('embedding', HALFVEC(), nullable=True, comment="The mean of the facts' vectors; null where vector_of names an earlier episode, or where no fact had one."),
    sa.Column('vector_of', sa.Integer(), nullable=False, comment='Number of the episode that has the vector: this one, or an earlier one of the same.'),
    sa.Column('refreshed', sa.Boolean(), nullable=False, comment='Whether the summary was written.'),
    sa.Column('reason', sa.Text(), nullable=False, comment='Why the gate decided so.'),
    sa.Column('state', postgresql.JSONB(astext_type=sa.Text()), nullable=True, comment='At every twenty-fifth episode the state before it, so that what is older can go.'),
    sa.Column('state_embedding', HALFVEC(), nullable=True, comment='The vector of that state.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['node_summary.knowledge_space_id', 'node_summary.node_id'], name=op.f('fk_summary_episode_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'node_id', 'number', name=op.f('pk_summary_episode')),
    comment='What the summary gate was asked, the last 25 to 50 times of each node: what `summaries replay` decides anew.'
    )
    op.create_table('summary_count',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('reason', sa.Text(), nullable=False, comment='The reason of these decisions.'),
    sa.Column('refreshed', sa.Boolean(), nullable=False, comment='Whether they wrote the summary.'),
    sa.Column('decisions', sa.BigInteger(), nullable=False, comment='How many there were.'),
    sa.Column('last_at', sa.DateTime(timezone=True), nullable=False, comment='When the last one was.'),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_summary_count_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'reason', name=op.f('pk_summary_count')),
    comment='How often the summary gate refreshed and skipped, by reason.'
    )
    op.create_table('summary_skip',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application: in the order of the skips.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node.'),
    sa.Column('number', sa.Integer(), nullable=False, comment='Number of the episode.'),
    sa.Column('at', sa.DateTime(timezone=True), nullable=False, comment='When the gate looked.'),
    sa.Column('reason', sa.Text(), nullable=False, comment='Why it skipped.'),
    sa.Column('drift', sa.REAL(), nullable=False, comment="Cosine distance of the facts' vectors from those of the summary, 0 to 2."),
    sa.Column('new_facts', postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False, comment='At most five of the facts that were new, in words.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['node_summary.knowledge_space_id', 'node_summary.node_id'], name=op.f('fk_summary_skip_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_summary_skip')),
    comment='One in fifty of the refreshes that the gate skipped, the newest 200 of a space, for a person to review.'
    )
    op.create_index('ix_summary_skip_node', 'summary_skip', ['knowledge_space_id', 'node_id'], unique=False)
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({SPACE}) WITH CHECK ({SPACE})")
        # As in migration 0004: plans do not depend on which spaces exist.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN knowledge_space_id SET STATISTICS 0")
        op.execute(f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.02)")
    op.execute(HEAD.format(name="note_nodes_of_edges", body=OF_ROWS))
    op.execute(HEAD.format(name="note_nodes_of_edge", body=OF_ROW))
    op.execute(f"CREATE TRIGGER note_nodes_added AFTER INSERT ON graph_edge REFERENCING NEW TABLE AS touched FOR EACH STATEMENT WHEN ({OPEN}) EXECUTE FUNCTION note_nodes_of_edges()")
    op.execute(f"CREATE TRIGGER note_nodes_removed AFTER DELETE ON graph_edge REFERENCING OLD TABLE AS touched FOR EACH STATEMENT WHEN ({OPEN}) EXECUTE FUNCTION note_nodes_of_edges()")
    op.execute(f"CREATE TRIGGER note_nodes_changed AFTER UPDATE OF from_node_id, to_node_id, relation_type, deleted_at, invalidated_at ON graph_edge FOR EACH ROW WHEN ({DIFFERS} AND {OPEN}) EXECUTE FUNCTION note_nodes_of_edge()")
    for name, (comment, query) in VIEWS.items():
        op.execute(f"CREATE VIEW {name} WITH (security_invoker = true) AS {query}")
        op.execute(f"COMMENT ON VIEW {name} IS '{comment}'")


def downgrade() -> None:
    for name in VIEWS:
        op.execute(f"DROP VIEW {name}")
    for trigger in ("note_nodes_added", "note_nodes_removed", "note_nodes_changed"):
        op.execute(f"DROP TRIGGER {trigger} ON graph_edge")
    for function in ("note_nodes_of_edges", "note_nodes_of_edge"):
        op.execute(f"DROP FUNCTION {function}()")
    for table in reversed(TABLES):
        op.drop_table(table)

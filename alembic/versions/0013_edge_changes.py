"""What happened to edges since the communities were last found, and what a partial run needs of the run before.

Triggers write it, so that no writer of edges can forget it, in the transaction that changes the edge: whoever
sees the change sees its note. Addition only (requirement 13.3): runs that an older worker makes say nothing
of inner weights and leave the notes standing; the run after them is a whole one.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
WEIGHT = "Summed weight of its nodes' pairs, each end counted: what modularity goes by."

# Ids alone, a row a statement: the edges themselves say the rest. The revision is that of the writer, who holds
# the graph's lock, so revisions order what happened to one edge.
ADDED = """
CREATE FUNCTION note_added_edges() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO public.edge_change (knowledge_space_id, id, revision, added)
    SELECT added.knowledge_space_id, gen_random_uuid(), space.graph_revision, array_agg(added.id)
    FROM added JOIN public.knowledge_space AS space ON space.id = added.knowledge_space_id
    GROUP BY added.knowledge_space_id, space.graph_revision;
    RETURN NULL;
END $$
"""
CHANGED = """
CREATE FUNCTION note_changed_edge() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO public.edge_change (knowledge_space_id, id, revision, added, edge_id, from_node_id, to_node_id,
        weight, relation_type)
    SELECT OLD.knowledge_space_id, gen_random_uuid(), space.graph_revision,
        CASE WHEN seen.live THEN '{}'::uuid[] ELSE ARRAY[OLD.id] END, CASE WHEN seen.live THEN OLD.id END,
        OLD.from_node_id, OLD.to_node_id, OLD.weight, OLD.relation_type
    FROM public.knowledge_space AS space,
        (SELECT OLD.deleted_at IS NULL AND OLD.invalidated_at IS NULL AS live) AS seen
    WHERE space.id = OLD.knowledge_space_id;
    RETURN NULL;
END $$
"""
HIDDEN = """
CREATE FUNCTION note_hidden_node() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO public.edge_change (knowledge_space_id, id, revision, node_id)
    SELECT OLD.knowledge_space_id, gen_random_uuid(), space.graph_revision, OLD.id
    FROM public.knowledge_space AS space WHERE space.id = OLD.knowledge_space_id;
    RETURN NULL;
END $$
"""
# Where no space is open, as while one is deleted with all that it holds, nothing is noted.
OPEN = "current_setting('app.space_id', true) = OLD.knowledge_space_id::text"
LIVE = "{0}.deleted_at IS NULL AND {0}.invalidated_at IS NULL"
DIFFERS = "(OLD.from_node_id, OLD.to_node_id, OLD.weight, OLD.relation_type, OLD.deleted_at IS NULL AND OLD.invalidated_at IS NULL) IS DISTINCT FROM (NEW.from_node_id, NEW.to_node_id, NEW.weight, NEW.relation_type, NEW.deleted_at IS NULL AND NEW.invalidated_at IS NULL)"

# fmt: off


def upgrade() -> None:
    op.create_table('edge_change',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='Random, made by the trigger.'),
    sa.Column('revision', sa.BigInteger(), nullable=False, comment="The space's graph revision of the change: orders what happened to one edge."),
    sa.Column('noted_at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False, comment='When it was noted: orders what one revision did to one edge.'),
    sa.Column('added', sa.ARRAY(sa.Uuid()), server_default=sa.text("'{}'::uuid[]"), nullable=False, comment='Edges that were written, or stand again.'),
    sa.Column('edge_id', sa.Uuid(), nullable=True, comment='An edge that was changed or removed; the following columns say what it was before.'),
    sa.Column('from_node_id', sa.Uuid(), nullable=True, comment='Where it began.'),
    sa.Column('to_node_id', sa.Uuid(), nullable=True, comment='Where it ended.'),
    sa.Column('weight', sa.REAL(), nullable=True, comment='Its weight.'),
    sa.Column('relation_type', sa.Text(), nullable=True, comment='Its relation type.'),
    sa.Column('node_id', sa.Uuid(), nullable=True, comment='A node that was hidden or shown again, with whatever edges: the next run is a whole one.'),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_edge_change_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_edge_change')),
    comment='What happened to edges since the run of the community detection in force, written by triggers, cleared by the next run.'
    )
    op.execute("ALTER TABLE edge_change ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE edge_change FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON edge_change USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE edge_change ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE edge_change SET (autovacuum_analyze_scale_factor = 0.02)")
    for function in (ADDED, CHANGED, HIDDEN):
        op.execute(function)
    op.execute("CREATE TRIGGER note_added AFTER INSERT ON graph_edge REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_added_edges()")
    op.execute(f"CREATE TRIGGER note_removed AFTER DELETE ON graph_edge FOR EACH ROW WHEN ({OPEN} AND {LIVE.format('OLD')}) EXECUTE FUNCTION note_changed_edge()")
    op.execute(f"CREATE TRIGGER note_changed AFTER UPDATE OF from_node_id, to_node_id, weight, relation_type, deleted_at, invalidated_at ON graph_edge FOR EACH ROW WHEN ({DIFFERS} AND {OPEN}) EXECUTE FUNCTION note_changed_edge()")
    op.execute(f"CREATE TRIGGER note_hidden AFTER UPDATE OF deleted_at ON graph_node FOR EACH ROW WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) AND {OPEN}) EXECUTE FUNCTION note_hidden_node()")
    op.add_column('community', sa.Column('inner_weight', sa.Double(), server_default='0', nullable=False, comment='Summed weight of the pairs inside it, each end counted.'))
    op.alter_column('community', 'weight', existing_type=sa.Double(), existing_nullable=False, existing_comment=WEIGHT, comment="Summed weight of its nodes' pairs within its parent, at level 0 all of them, each end counted: what modularity goes by.")
    op.add_column('community_run', sa.Column('partials', sa.SmallInteger(), nullable=True, comment='Partial runs since the last whole one, itself included; 0 for a whole one, null where no partial one may follow.'))
    op.add_column('community_run', sa.Column('changed_edges', sa.BigInteger(), server_default='0', nullable=False, comment='Edges that changed since the graph of the last whole run.'))
    op.add_column('community_run', sa.Column('weight', sa.Double(), server_default='0', nullable=False, comment='Summed weight of its pairs, each end counted.'))


def downgrade() -> None:
    op.drop_column('community_run', 'weight')
    op.drop_column('community_run', 'changed_edges')
    op.drop_column('community_run', 'partials')
    op.alter_column('community', 'weight', existing_type=sa.Double(), existing_nullable=False, comment=WEIGHT)
    op.drop_column('community', 'inner_weight')
    op.execute("DROP TRIGGER note_hidden ON graph_node")
    for trigger in ("note_added", "note_removed", "note_changed"):
        op.execute(f"DROP TRIGGER {trigger} ON graph_edge")
    for function in ("note_added_edges", "note_changed_edge", "note_hidden_node"):
        op.execute(f"DROP FUNCTION {function}()")
    op.drop_table('edge_change')

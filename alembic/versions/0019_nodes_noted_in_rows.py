"""Notes of whose facts changed, a row a statement instead of one a node: a third of what writing edges cost.

What a statement on edges touched is appended, and gathered into `changed_node` by the next look at summaries, once
for each node however many statements named it. Addition only (requirement 13.3): a worker of the version before looks
at what was gathered so far; what is noted since waits for one of this version. Going back loses what is not
gathered yet: `citegraph summaries refresh` has all nodes looked at.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
FUNCTION = "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog AS $$ BEGIN {body} END $$"
# A space that is being deleted with all that it holds notes nothing.
NOTE = """
    INSERT INTO public.touched_nodes (knowledge_space_id, id, nodes)
    SELECT space.id, gen_random_uuid(), array_agg(ends.node_id)
    FROM public.knowledge_space AS space, ({ends}) AS ends (node_id)
    WHERE space.id = nullif(current_setting('app.space_id', true), '')::uuid
    GROUP BY space.id;
    RETURN NULL;
"""
OF_ROWS = "SELECT from_node_id FROM touched UNION SELECT to_node_id FROM touched"
OF_ROW = "VALUES (OLD.from_node_id), (OLD.to_node_id), (NEW.from_node_id), (NEW.to_node_id)"
# Those of migration 0012, for the way back.
BEFORE = """
    INSERT INTO public.changed_node AS standing (knowledge_space_id, node_id, change)
    SELECT node.knowledge_space_id, node.id, gen_random_uuid()
    FROM public.graph_node AS node
    WHERE node.knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid AND node.id IN ({ends})
    ORDER BY node.id
    ON CONFLICT (knowledge_space_id, node_id) DO UPDATE SET change = excluded.change;
    RETURN NULL;
"""
OF_ROW_BEFORE = "OLD.from_node_id, OLD.to_node_id, NEW.from_node_id, NEW.to_node_id"
GATHERED = "Nodes whose facts changed since the summary gate looked at them; gathered out of touched_nodes by the next look."
WRITTEN = "Nodes whose facts changed since the summary gate looked at them; written by triggers with the change itself."

# fmt: off


def upgrade() -> None:
    op.create_table('touched_nodes',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='Random, made by the trigger.'),
    sa.Column('nodes', sa.ARRAY(sa.Uuid()), nullable=False, comment='The ends of the edges that a statement wrote, changed or removed.'),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_touched_nodes_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_touched_nodes')),
    comment='Whose facts changed, a row for each statement on edges, written by triggers with the change; the next look at summaries gathers them.'
    )
    op.execute("ALTER TABLE touched_nodes ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE touched_nodes FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON touched_nodes USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE touched_nodes ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE touched_nodes SET (autovacuum_analyze_scale_factor = 0.02)")
    op.execute(FUNCTION.format(name="note_nodes_of_edges", body=NOTE.format(ends=OF_ROWS)))
    op.execute(FUNCTION.format(name="note_nodes_of_edge", body=NOTE.format(ends=OF_ROW)))
    op.create_table_comment('changed_node', GATHERED, existing_comment=WRITTEN)


def downgrade() -> None:
    op.create_table_comment('changed_node', WRITTEN, existing_comment=GATHERED)
    op.execute(FUNCTION.format(name="note_nodes_of_edges", body=BEFORE.format(ends=OF_ROWS)))
    op.execute(FUNCTION.format(name="note_nodes_of_edge", body=BEFORE.format(ends=OF_ROW_BEFORE)))
    op.drop_table('touched_nodes')

"""When a claim will end, as far as it is known, so that `as_of` ahead of today says what will hold then.

Addition only (requirement 13.3). Claims from before have no such end until something about them is read again, or the
job that waits for the next beginning or end runs.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0067"
down_revision: str | None = "0066"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# Without a moment the rest is planned away, as in migration 0054.
HOLDS_AT = """
CREATE FUNCTION edge_holds_at(deleted_at timestamptz, invalidated_at timestamptz, valid_from timestamptz,
                              ends_at timestamptz, as_of timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN deleted_at IS NULL AND CASE WHEN as_of IS NULL THEN invalidated_at IS NULL
    ELSE as_of >= coalesce(valid_from, '-infinity') AND as_of < coalesce(ends_at, invalidated_at, 'infinity') END
"""

# fmt: off


def upgrade() -> None:
    # First: a Citus cluster refuses it after a change of content in the same transaction.
    op.execute(HOLDS_AT)
    op.add_column('graph_edge', sa.Column('ends_at', sa.DateTime(timezone=True), nullable=True, comment='A moment ahead at which it will end, as far as is known; of a claim that begins later without a known end the last day of 9999.'))
    op.create_index('ix_graph_edge_ends_ahead', 'graph_edge', ['knowledge_space_id', 'from_node_id', 'to_node_id'], unique=False, postgresql_where=sa.text('ends_at IS NOT NULL AND deleted_at IS NULL'))


def downgrade() -> None:
    op.execute("DROP FUNCTION edge_holds_at(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz)")
    op.drop_index('ix_graph_edge_ends_ahead', table_name='graph_edge')
    op.drop_column('graph_edge', 'ends_at')

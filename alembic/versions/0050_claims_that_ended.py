"""An index of the claims that are denied or have ended, by the two nodes that they join.

Addition only (requirement 13.3). What is taken in asks of each of its claims whether a row of it is denied or ended. Without
the index all rows of the two nodes are read for that, which are thousands where thousands of passages say the same.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0050"
down_revision: str | None = "0049"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    # Not CONCURRENTLY, as in migration 0039: few rows, a second a million read.
    op.create_index('ix_graph_edge_ended', 'graph_edge', ['knowledge_space_id', 'from_node_id', 'to_node_id'], unique=False, postgresql_where=sa.text('invalidated_at IS NOT NULL AND deleted_at IS NULL'))


def downgrade() -> None:
    op.drop_index('ix_graph_edge_ended', table_name='graph_edge', postgresql_where=sa.text('invalidated_at IS NOT NULL AND deleted_at IS NULL'))

"""A chunk remembers which names it says belong to one thing, so that they part when the last such chunk goes.

Addition only (requirement 13.3). Chunks from before say nothing: what they tied stays tied.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0065"
down_revision: str | None = "0064"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('knowledge_chunk', sa.Column('name_ties', sa.dialects.postgresql.JSONB(), nullable=True, comment='Things that it gives several names: [node type or null, name, another name, …]; null where it gives none.'))


def downgrade() -> None:
    op.drop_column('knowledge_chunk', 'name_ties')

"""Chunks say where in the file they stand, and documents how their bytes were taken for text.

Addition only (requirement 13.3). Chunks of before have no place until their document is read anew.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0056"
down_revision: str | None = "0055"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
FORMAT = "text, markdown, html, pdf, docx, json, jsonl, csv, conversation."


def upgrade() -> None:
    op.add_column('knowledge_chunk', sa.Column('place', sa.Text(), nullable=True, comment='Where in the file it stands, in words (page 7; sheet Prices, row 12), where its format has such places.'))
    op.add_column('document', sa.Column('encoding', sa.Text(), nullable=True, comment='How its bytes were taken for text, where they are text.'))
    op.alter_column('document', 'format', existing_type=sa.Text(), existing_nullable=False, comment='Name of its format, as README lists them.', existing_comment=FORMAT)


def downgrade() -> None:
    op.alter_column('document', 'format', existing_type=sa.Text(), existing_nullable=False, comment=FORMAT, existing_comment='Name of its format, as README lists them.')
    op.drop_column('document', 'encoding')
    op.drop_column('knowledge_chunk', 'place')

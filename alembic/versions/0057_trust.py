"""Documents say how far they are trusted: what a less trusted one states ends no claim of a more trusted one.

Addition only (requirement 13.3). Documents of before are trusted wholly.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0057"
down_revision: str | None = "0056"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off


def upgrade() -> None:
    op.add_column('document', sa.Column('trust', sa.DOUBLE_PRECISION(), server_default='1', nullable=False, comment='From 0.01 to 1: what it states weighs so much, and ends no claim of a document with more.'))
    op.create_check_constraint(op.f('ck_document_trust'), 'document', 'trust >= 0.01 AND trust <= 1')


def downgrade() -> None:
    op.drop_constraint(op.f('ck_document_trust'), 'document', type_='check')
    op.drop_column('document', 'trust')

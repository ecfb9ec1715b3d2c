"""Claims that are denied, and from when to when a claim holds, with how exact that was stated and where.

A denial is an edge of its own whose `invalidated_at` is a moment before all others: the statements and indexes that
leave out what ended leave it out too. Addition only (requirement 13.3): every edge that stands is asserted, and its
dates are as they were. The constraints bind what is written from now on; migration 0026 proves them for the rest.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0025"
down_revision: str | None = "0024"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

CHECKS = {
    "polarity": "polarity IN ('asserted', 'denied')",
    "denial_never_held": "(polarity = 'denied') = (invalidated_at IS NOT DISTINCT FROM '0001-01-02 00:00:00+00'::timestamptz)",
    "precision": "valid_from_precision IN ('year', 'month', 'day') AND valid_to_precision IN ('year', 'month', 'day')",
    "basis": "valid_from_basis IN ('sentence', 'document')",
}
FROM = "Since when it holds, or for a denial does not: by its sentence, else its document's date."
FROM_BEFORE = "Since when the claim holds, where the text says so."
ENDED = "When a later source or a person ended the claim; for a denial always the same early moment."
ENDED_BEFORE = "When a later source or a person ended the claim."

# fmt: off


def upgrade() -> None:
    op.add_column('graph_edge', sa.Column('polarity', sa.Text(), server_default='asserted', nullable=False, comment='denied where the sentence says that the claim does not hold, or not any more.'))
    op.add_column('graph_edge', sa.Column('valid_from_precision', sa.Text(), nullable=True, comment='How exact valid_from was stated: year, month or day.'))
    op.add_column('graph_edge', sa.Column('valid_from_basis', sa.Text(), nullable=True, comment="Where valid_from was read: in the sentence, or from the document's date."))
    op.add_column('graph_edge', sa.Column('valid_to', sa.DateTime(timezone=True), nullable=True, comment='Up to which year, month or day it held, where its sentence says so: its first moment.'))
    op.add_column('graph_edge', sa.Column('valid_to_precision', sa.Text(), nullable=True, comment='How exact valid_to was stated: year, month or day.'))
    op.alter_column('graph_edge', 'valid_from', existing_type=sa.DateTime(timezone=True), existing_nullable=True, existing_comment=FROM_BEFORE, comment=FROM)
    op.alter_column('graph_edge', 'invalidated_at', existing_type=sa.DateTime(timezone=True), existing_nullable=True, existing_comment=ENDED_BEFORE, comment=ENDED)
    for name, check in CHECKS.items():
        op.execute(f"ALTER TABLE graph_edge ADD CONSTRAINT ck_graph_edge_{name} CHECK ({check}) NOT VALID")


def downgrade() -> None:
    # Without its polarity a denial would be read as what it denies, ended.
    op.execute("DELETE FROM graph_edge WHERE polarity = 'denied'")
    for name in CHECKS:
        op.execute(f"ALTER TABLE graph_edge DROP CONSTRAINT ck_graph_edge_{name}")
    op.alter_column('graph_edge', 'invalidated_at', existing_type=sa.DateTime(timezone=True), existing_nullable=True, existing_comment=ENDED, comment=ENDED_BEFORE)
    op.alter_column('graph_edge', 'valid_from', existing_type=sa.DateTime(timezone=True), existing_nullable=True, existing_comment=FROM, comment=FROM_BEFORE)
    for name in ('valid_to_precision', 'valid_to', 'valid_from_basis', 'valid_from_precision', 'polarity'):
        op.drop_column('graph_edge', name)

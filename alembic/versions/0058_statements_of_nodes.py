"""Chunks say of a node what no other node ends: statements, beside its attributes.

Addition only (requirement 13.3). A chunk may say "was" of a node twice, so the place belongs to the key.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0058"
down_revision: str | None = "0057"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
TABLE = "node_attribute"
KEY = "knowledge_space_id, chunk_id, node_id, name"
COMMENTS = (
    ('name', sa.Text(collation='C'),
     "The attribute, as the space's settings call it.",
     "The attribute, as the space's settings call it; of a statement the words of its predicate."),
    ('value', sa.dialects.postgresql.JSONB(),
     'A text, a number, true or false; a date as text, YYYY, YYYY-MM or YYYY-MM-DD.',
     'A text, a number, true or false; a date as text, YYYY, YYYY-MM or YYYY-MM-DD. Of a statement the words behind its predicate.'),
)
BEFORE = "Typed attributes of nodes as chunks state them; what most chunks say stands in the node's metadata."
NOW = "Typed attributes of nodes as chunks state them, of which what most chunks say stands in the node's metadata; and statements: what a clause says of a node, as it is written."


def upgrade() -> None:
    op.add_column(TABLE, sa.Column('confidence', sa.REAL(), nullable=True, comment='How likely a statement was read rightly, 0 to 1; null of an attribute that the space asks for.'))
    op.add_column(TABLE, sa.Column('subject', sa.Text(), nullable=True, comment="Of a statement the words before its predicate; null where they are the node's name alone."))
    # Not CONCURRENTLY, as in migration 0039: only spaces that ask for attributes have rows.
    op.create_index('ix_node_attribute_confidence', TABLE, ['knowledge_space_id', 'node_id', 'confidence'], unique=False)
    op.drop_index('ix_node_attribute_node', table_name=TABLE)
    _key(f"{KEY}, char_start")
    for column, kind, before, now in COMMENTS:
        op.alter_column(TABLE, column, existing_type=kind, existing_nullable=False, comment=now, existing_comment=before)
    op.create_table_comment(TABLE, NOW, existing_comment=BEFORE)


def downgrade() -> None:
    op.create_table_comment(TABLE, BEFORE, existing_comment=NOW)
    for column, kind, before, now in COMMENTS:
        op.alter_column(TABLE, column, existing_type=kind, existing_nullable=False, comment=before, existing_comment=now)
    op.execute(f"ALTER TABLE {TABLE} NO FORCE ROW LEVEL SECURITY")
    op.execute(f"DELETE FROM {TABLE} WHERE confidence IS NOT NULL")
    op.execute(f"DELETE FROM {TABLE} AS later USING {TABLE} AS first WHERE " + " AND ".join(f"later.{each} = first.{each}" for each in KEY.split(", ")) + " AND later.char_start > first.char_start")
    op.execute(f"ALTER TABLE {TABLE} FORCE ROW LEVEL SECURITY")
    _key(KEY)
    op.create_index('ix_node_attribute_node', TABLE, ['knowledge_space_id', 'node_id'], unique=False)
    op.drop_index('ix_node_attribute_confidence', table_name=TABLE)
    op.drop_column(TABLE, 'subject')
    op.drop_column(TABLE, 'confidence')


def _key(columns: str) -> None:
    """The key by an index that is made before the one of before goes."""
    op.execute(f"CREATE UNIQUE INDEX pk_node_attribute_next ON {TABLE} ({columns})")
    op.execute(f"ALTER TABLE {TABLE} DROP CONSTRAINT pk_node_attribute")
    op.execute(f"ALTER TABLE {TABLE} ADD CONSTRAINT pk_node_attribute PRIMARY KEY USING INDEX pk_node_attribute_next")

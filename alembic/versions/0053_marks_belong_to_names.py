"""Names are compared with the marks of their letters.

Vowels of Hindi, Thai, Tamil and other scripts are marks, which were taken for punctuation: กิน and กัน were one name, and two
things that have them one node. Vowel points of Arabic and Hebrew, which may be left out, and the dot of a Turkish İ in small
letters count nothing now. Names that hold such characters get the form by which they are compared anew. What was one node
stays one until somebody splits it.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

# The form is made by the application alone, and rows hold what the application that reads them would make.
from app.graph.names import normalise_name

revision: str = "0053"
down_revision: str | None = "0052"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BATCH = 1_000
# Latin letters with marks are composed; beyond them stand the blocks of marks and of the scripts that use them.
MARKED = r"[\u0130\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u20d0-\u20ff\u2de0-\u2dff\u3099\u309a\ua66f-\uabff\ufb1d-\ufdff\ufe20-\ufe7f\U00010000-\U0001ffff]"
KEY = "knowledge_space_id, normalised_name, node_id"
RENAME = """
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind, spelling_key)
SELECT n.knowledge_space_id, :new, n.node_id, n.name, n.kind, spelling_key(:new) FROM node_name n
WHERE (n.knowledge_space_id, n.normalised_name, n.node_id) = (:space, :old, :node)
ON CONFLICT (knowledge_space_id, normalised_name, node_id) DO NOTHING
"""
REMOVE = "DELETE FROM node_name WHERE (knowledge_space_id, normalised_name, node_id) = (:space, :old, :node)"
ATTRIBUTES = """
UPDATE node_attribute SET said_of = :new
WHERE knowledge_space_id = :space AND node_id = :node AND said_of = :old
"""


def upgrade() -> None:
    """In steps of their own: writers wait for a thousand rows at most.

    A host's login that row security holds for sees no name: there a name gets its form when it is written anew.
    """
    sees_all = sa.text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    if not op.get_bind().execute(sees_all).scalar_one():
        return
    after: tuple[object, ...] | None = None
    with op.get_context().autocommit_block():
        while True:
            beyond = f"AND ({KEY}) > (:space, :name, :node)" if after else ""
            given = dict(zip(("space", "name", "node"), after, strict=True)) if after else {}
            rows = op.get_bind().execute(
                sa.text(
                    f"SELECT {KEY}, name FROM node_name WHERE name ~ '{MARKED}' {beyond} ORDER BY {KEY} LIMIT {BATCH}"
                ),
                given,
            )
            names = rows.all()
            if not names:
                return
            renamed = [
                {"space": space, "old": old, "node": node, "new": new}
                for space, old, node, name in names
                if (new := normalise_name(name)) and new != old
            ]
            if renamed:
                for statement in (RENAME, REMOVE, ATTRIBUTES):
                    op.get_bind().execute(sa.text(statement), renamed)
            after = tuple(names[-1][:3])


def downgrade() -> None:
    """The forms stay: those of before cannot be told from the names."""

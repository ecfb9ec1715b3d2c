"""Names are found by how they sound, so that a slip of typing in a question does not lose what it names.

Addition only (requirement 13.3): a column that is null until it is computed, and its index. What workers of the
version before write is not found so until the node is named anew. The column is compared by equality alone, which
row security lets an index serve; the function stands here and nowhere else.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0028"
down_revision: str | None = "0027"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# Of each word its first letter as a capital, then its consonants by where they are spoken, each once in a row:
# "Stonebraker" and "stonbracker" are both "Stnprkr". Marks on letters are left out, digits stay.
SPELLING_KEY = r"""
CREATE FUNCTION spelling_key(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(
    translate(
        initcap(regexp_replace(normalize(lower(left(name, 200)), NFKD), '[\u0300-\u036f]', '', 'g') COLLATE "C"),
        'CQZbfpvcgjkqsxzdtlmnraeiouyhw', 'KKSppppkkkkkkkkttlnnr'
    ),
    '([a-z])\1+', '\1', 'g'
), 80)
"""
BATCH = 5_000


def upgrade() -> None:
    op.execute(SPELLING_KEY)
    op.add_column(
        "node_name",
        sa.Column(
            "spelling_key",
            sa.Text(collation="C"),
            nullable=True,
            comment="How it sounds (function spelling_key): misspelled names have the same or nearly so.",
        ),
    )
    # While the column is all null it is made at once, without keeping writers waiting.
    op.create_index(
        "ix_node_name_spelling",
        "node_name",
        ["knowledge_space_id", "spelling_key"],
        postgresql_where=sa.text("spelling_key IS NOT NULL"),
    )
    _fill()


def _fill() -> None:
    """In steps of their own, in the order of the key: writers wait for some thousand rows at most.

    A host's login that row security holds for sees no name: there a name gets its key when it is written anew.
    """
    sees_all = sa.text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    if not op.get_bind().execute(sees_all).scalar_one():
        return
    key = "knowledge_space_id, normalised_name, node_id"
    after: tuple[object, ...] | None = None
    with op.get_context().autocommit_block():
        while True:
            beyond = f"WHERE ({key}) > (:space, :name, :node)" if after else ""
            given = dict(zip(("space", "name", "node"), after, strict=True)) if after else {}
            last = (
                op.get_bind()
                .execute(
                    sa.text(
                        f"WITH part AS (SELECT {key} FROM node_name {beyond} ORDER BY {key} LIMIT {BATCH}), filled AS ("
                        "  UPDATE node_name n SET spelling_key = public.spelling_key(n.normalised_name) FROM part"
                        "  WHERE (n.knowledge_space_id, n.normalised_name, n.node_id) ="
                        "        (part.knowledge_space_id, part.normalised_name, part.node_id) AND n.spelling_key IS NULL)"
                        f" SELECT {key} FROM part ORDER BY knowledge_space_id DESC, normalised_name DESC, node_id DESC"
                        " LIMIT 1"
                    ),
                    given,
                )
                .one_or_none()
            )
            if last is None:
                return
            after = tuple(last)


def downgrade() -> None:
    op.drop_index("ix_node_name_spelling", table_name="node_name")
    op.drop_column("node_name", "spelling_key")
    op.execute("DROP FUNCTION spelling_key(text)")

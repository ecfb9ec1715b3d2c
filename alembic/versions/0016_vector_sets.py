"""Sets of vectors: a space gets vectors of another model beside those in use, and then changes over to them at once.

Vectors of chunks move into a table of their own, as those of facts and nodes are: a second set of them neither
rewrites chunks nor their index of words. Addition only (requirement 13.3): `knowledge_chunk.embedding` stays as it
is and is no longer written. Vector indexes of large spaces knew nothing of sets and are dropped; until the next
`citegraph maintain` these spaces are searched exactly.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from pgvector.sqlalchemy import HALFVEC

from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
OWNER_COMMENT = "The knowledge space that owns the row; row level security compares it with app.space_id."
SET_COMMENT = "The set it belongs to: searches compare with that of knowledge_space.vector_set alone."
APART = "Its vector by the set's embedding model; apart, so that walks read narrow rows."
APART_WAS = "Its vector by the space's embedding model; apart, so that walks read narrow rows."
WAS = "Vector of the text by the space's embedding model; its length is the space's."
IS = "The vector as versions before chunk_vector wrote it; no longer written or read."
OLD_INDEXES = """
DO $$ DECLARE own text; BEGIN
    FOR own IN SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'i' AND c.relname ~ '^ix_(chunk|node)_vector_[0-9a-f]{32}'
    LOOP
        EXECUTE format('DROP INDEX public.%I', own);
    END LOOP;
END $$
"""


def upgrade() -> None:
    op.add_column(
        "knowledge_space",
        sa.Column(
            "vector_set",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="The set of vectors that searches compare with: those of embedding_model.",
        ),
    )
    op.add_column(
        "knowledge_space",
        sa.Column(
            "newest_vector_set",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="The set that was begun last, whatever became of it: the next one gets the next number.",
        ),
    )
    op.create_table(
        "chunk_vector",
        sa.Column("knowledge_space_id", sa.Uuid(), nullable=False, comment=OWNER_COMMENT),
        sa.Column("chunk_id", sa.Uuid(), nullable=False, comment="The chunk."),
        sa.Column("vector_set", sa.Integer(), server_default="0", nullable=False, comment=SET_COMMENT),
        sa.Column(
            "embedding",
            HALFVEC(),
            nullable=False,
            comment=APART,
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_space_id", "chunk_id"],
            ["knowledge_chunk.knowledge_space_id", "knowledge_chunk.id"],
            name=op.f("fk_chunk_vector_knowledge_space_id_chunk_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("knowledge_space_id", "chunk_id", "vector_set", name=op.f("pk_chunk_vector")),
        comment="Vectors of chunks: of their texts.",
    )
    op.execute("ALTER TABLE chunk_vector ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE chunk_vector FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY wall ON chunk_vector USING ({SPACE}) WITH CHECK ({SPACE})")
    # As in migration 0004: plans do not depend on which spaces exist.
    op.execute("ALTER TABLE chunk_vector ALTER COLUMN knowledge_space_id SET STATISTICS 0")
    op.execute("ALTER TABLE chunk_vector SET (autovacuum_analyze_scale_factor = 0.02)")
    op.execute(OLD_INDEXES)
    _seeing_all(
        ("knowledge_chunk", "chunk_vector"),
        "INSERT INTO chunk_vector (knowledge_space_id, chunk_id, embedding)"
        " SELECT knowledge_space_id, id, embedding FROM knowledge_chunk WHERE embedding IS NOT NULL"
        " ORDER BY knowledge_space_id, id",
    )
    for table, column in (("fact_vector", "edge_id"), ("node_vector", "node_id")):
        op.add_column(
            table,
            sa.Column("vector_set", sa.Integer(), server_default="0", nullable=False, comment=SET_COMMENT),
        )
        op.drop_constraint(op.f(f"pk_{table}"), table, type_="primary")
        op.create_primary_key(op.f(f"pk_{table}"), table, ["knowledge_space_id", column, "vector_set"])
        op.alter_column(table, "embedding", comment=APART, existing_comment=APART_WAS)
    for table in ("chunk_vector", "fact_vector", "node_vector"):
        # Nor do they depend on how many spaces are at which set.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN vector_set SET STATISTICS 0")
    op.add_column(
        "node_summary",
        sa.Column(
            "vector_set",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="The set of vectors that embedding is the mean of; another set's is not compared with it.",
        ),
    )
    op.alter_column("knowledge_chunk", "embedding", comment=IS, existing_comment=WAS)


def _seeing_all(tables: Sequence[str], *commands: str) -> None:
    """Run the commands as one who sees all rows; where a host lets nobody, the owner of these tables meanwhile."""
    sees_all = sa.text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    walled = [] if op.get_bind().execute(sees_all).scalar_one() else tables
    for table in walled:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for command in commands:
        op.execute(command)
    for table in walled:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    op.execute(OLD_INDEXES)
    # What searches compare with now is what the version before finds.
    _seeing_all(
        ("knowledge_space", "knowledge_chunk", "chunk_vector", "fact_vector", "node_vector"),
        "UPDATE knowledge_chunk c SET embedding = (SELECT v.embedding FROM chunk_vector v"
        " JOIN knowledge_space s ON s.id = v.knowledge_space_id AND s.vector_set = v.vector_set"
        " WHERE v.knowledge_space_id = c.knowledge_space_id AND v.chunk_id = c.id)",
        *(
            f"DELETE FROM {table} v USING knowledge_space s"
            " WHERE s.id = v.knowledge_space_id AND s.vector_set <> v.vector_set"
            for table in ("fact_vector", "node_vector")
        ),
    )
    op.alter_column("knowledge_chunk", "embedding", comment=WAS, existing_comment=IS)
    op.drop_column("node_summary", "vector_set")
    for table, column in (("node_vector", "node_id"), ("fact_vector", "edge_id")):
        op.drop_constraint(op.f(f"pk_{table}"), table, type_="primary")
        op.drop_column(table, "vector_set")
        op.alter_column(table, "embedding", comment=APART_WAS, existing_comment=APART)
        op.create_primary_key(op.f(f"pk_{table}"), table, ["knowledge_space_id", column])
    op.drop_table("chunk_vector")
    op.drop_column("knowledge_space", "newest_vector_set")
    op.drop_column("knowledge_space", "vector_set")

"""What retrieval searches: words of chunks, vectors of facts and nodes, how common words are in a space.

Addition only (requirement 13.3). Chunks that workers of the version before write have no words yet; the
next ingest of their space gives them theirs, as this migration does for those that stand.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# As in migration 0002: no sub-query, and nullif for the '' that an ended transaction leaves.
SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
OWNER_COMMENT = "The knowledge space that owns the row; row level security compares it with app.space_id."
TABLES = ("fact_vector", "node_vector", "space_statistics")

# One place that says which words a chunk is found by. The token of the space lets one GIN serve all
# spaces: without it every search would collect the matches of all tenants first.
CHUNK_LEXEMES = """
CREATE FUNCTION chunk_lexemes(space_id uuid, title text, headings text[], body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT setweight(to_tsvector('pg_catalog.english', concat_ws(' ', title, array_to_string(headings, ' '))), 'A')
        || to_tsvector('pg_catalog.english', body) || array_to_tsvector(ARRAY['space:' || space_id::text])
$$
"""

# `@@` is not leakproof, so that under row security GIN is not used (fact 22): 187 to 386 ms in a space of
# 100,000 chunks. `citegraph migrate` makes this one function run as citegraph_search, which may only SELECT
# chunks; it reads the space setting itself, and takes no space from its caller.
CHUNK_MATCHES = r"""
CREATE FUNCTION chunk_matches(wanted tsquery, scored text[], bound integer)
RETURNS TABLE (chunk_id uuid, tokens integer, ranks real[])
LANGUAGE sql STABLE SECURITY INVOKER SET search_path = pg_catalog AS $$
    SELECT c.id, c.token_count, ARRAY(
        SELECT ts_rank('{0.6,0.6,0.8,1}', c.lexemes,
            ('''' || replace(replace(each.word, '\', '\\'), '''', '''''') || '''')::tsquery)
        FROM unnest(scored) WITH ORDINALITY AS each (word, place) ORDER BY each.place
    )
    FROM public.knowledge_chunk AS c
    WHERE c.knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid
      AND c.lexemes @@ (
          ('''space:' || nullif(current_setting('app.space_id', true), '')::uuid || '''')::tsquery && wanted
      )
    LIMIT bound
$$
"""


def upgrade() -> None:
    op.execute(CHUNK_LEXEMES)
    op.add_column(
        "knowledge_chunk",
        sa.Column(
            "lexemes",
            postgresql.TSVECTOR(),
            nullable=True,
            comment="Words of title and headings (A) and text, and a token of the space; null until computed.",
        ),
    )
    # While the column is all null both are made at once, without keeping writers waiting.
    op.create_index("ix_knowledge_chunk_lexemes", "knowledge_chunk", ["lexemes"], postgresql_using="gin")
    op.create_index(
        "ix_knowledge_chunk_without_lexemes",
        "knowledge_chunk",
        ["knowledge_space_id"],
        postgresql_where=sa.text("lexemes IS NULL"),
    )
    op.add_column(
        "node_mention",
        sa.Column(
            "titular",
            sa.Boolean(),
            server_default=sa.text("false"),
            nullable=False,
            comment="Whether the chunk's document or innermost heading is called so.",
        ),
    )
    op.create_index(
        "ix_node_mention_titular",
        "node_mention",
        ["knowledge_space_id", "node_id"],
        postgresql_where=sa.text("titular"),
    )
    _make_vectors(
        "fact_vector",
        "edge_id",
        "graph_edge",
        "The edge that states the fact.",
        "Vectors of facts: node, relation type, node.",
    )
    _make_vectors("node_vector", "node_id", "graph_node", "The node.", "Vectors of node names.")
    op.create_table(
        "space_statistics",
        sa.Column("knowledge_space_id", sa.Uuid(), nullable=False, comment=OWNER_COMMENT),
        sa.Column(
            "chunks", sa.Integer(), nullable=False, comment="Chunks of the space when this was counted."
        ),
        sa.Column(
            "chunks_since",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="Chunks read since; past a fifth of chunks it is counted anew.",
        ),
        sa.Column(
            "common_lexemes",
            sa.ARRAY(sa.Text()),
            server_default=sa.text("'{}'::text[]"),
            nullable=False,
            comment="Words in more than one of 200 chunks of a sample.",
        ),
        sa.Column(
            "common_shares",
            sa.ARRAY(sa.REAL()),
            server_default=sa.text("'{}'::real[]"),
            nullable=False,
            comment="For each of them the share of the sample's chunks that hold it, 0 to 1.",
        ),
        sa.Column(
            "counted_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
            comment="When this was counted.",
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_space_id"],
            ["knowledge_space.id"],
            name=op.f("fk_space_statistics_knowledge_space_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("knowledge_space_id", name=op.f("pk_space_statistics")),
        comment="How common words are in a space, so that a search begins with the rare ones; renewed after ingests.",
    )
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY wall ON {table} USING ({SPACE}) WITH CHECK ({SPACE})")
        # As in migration 0004: plans do not depend on which spaces exist.
        op.execute(f"ALTER TABLE {table} ALTER COLUMN knowledge_space_id SET STATISTICS 0")
        op.execute(f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.02)")
    # A host's login that does not bypass row security may not have the body checked as if it did.
    op.execute("SET LOCAL check_function_bodies = off")
    op.execute(CHUNK_MATCHES)
    op.execute("REVOKE ALL ON FUNCTION chunk_matches(tsquery, text[], integer) FROM PUBLIC")
    _fill_lexemes()


def _make_vectors(table: str, column: str, target: str, comment: str, about: str) -> None:
    op.create_table(
        table,
        sa.Column("knowledge_space_id", sa.Uuid(), nullable=False, comment=OWNER_COMMENT),
        sa.Column(column, sa.Uuid(), nullable=False, comment=comment),
        sa.Column(
            "embedding",
            HALFVEC(),
            nullable=False,
            comment="Its vector by the space's embedding model; apart, so that walks read narrow rows.",
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_space_id", column],
            [f"{target}.knowledge_space_id", f"{target}.id"],
            name=op.f(f"fk_{table}_knowledge_space_id_{column}"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("knowledge_space_id", column, name=op.f(f"pk_{table}")),
        comment=about,
    )


def _fill_lexemes() -> None:
    """In steps of their own: workers wait for a thousand rows at most, never for a table.

    A host's login that row security holds for sees no chunk: there each space's next ingest does it.
    """
    sees_all = sa.text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    if not op.get_bind().execute(sees_all).scalar_one():
        return
    with op.get_context().autocommit_block():
        while (
            op.get_bind()
            .execute(
                sa.text(
                    "UPDATE knowledge_chunk c"
                    " SET lexemes = chunk_lexemes(c.knowledge_space_id, d.title, c.heading_path, c.text)"
                    " FROM document d WHERE d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
                    " AND (c.knowledge_space_id, c.id) IN (SELECT knowledge_space_id, id FROM knowledge_chunk"
                    "  WHERE lexemes IS NULL LIMIT 1000)"
                )
            )
            .rowcount
        ):
            pass


def downgrade() -> None:
    op.execute("DROP FUNCTION chunk_matches(tsquery, text[], integer)")
    for table in reversed(TABLES):
        op.drop_table(table)
    op.drop_index("ix_node_mention_titular", table_name="node_mention")
    op.drop_column("node_mention", "titular")
    op.drop_index("ix_knowledge_chunk_without_lexemes", table_name="knowledge_chunk")
    op.drop_index("ix_knowledge_chunk_lexemes", table_name="knowledge_chunk")
    op.drop_column("knowledge_chunk", "lexemes")
    op.execute("DROP FUNCTION chunk_lexemes(uuid, text, text[], text)")

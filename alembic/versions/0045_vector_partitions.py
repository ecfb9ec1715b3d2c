"""Partitions for the vectors of large spaces: three partitioned tables, one partition of each for a large space.

Addition only (requirement 13.3), and no row moves: `citegraph maintain` makes the partitions and moves spaces into
them, one at a time, while others read and write. Workers of the version before write into the shared tables, so it is
run when all are of this version. Triggers on chunks, nodes and edges wait for their writers for a moment each.
Taking it back moves the rows of large spaces into the shared tables again.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from pgvector.sqlalchemy import HALFVEC

from alembic import op

revision: str = "0045"
down_revision: str | None = "0044"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SPACE = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"
# (kind, key, what it belongs to, its table, the comment of the key, of the table)
KINDS = (
    ("chunk", "chunk_id", "knowledge_chunk", "The chunk.", "Vectors of chunks"),
    ("node", "node_id", "graph_node", "The node.", "Vectors of node names"),
    ("fact", "edge_id", "graph_edge", "The edge that states the fact.", "Vectors of facts"),
)
# A key of Postgres' would look for the row in the partitions of all spaces, whenever one is deleted in any of them,
# and would lock chunks, nodes and edges whenever a partition comes or goes (docs/decisions/0062).
CHECK = """
CREATE FUNCTION check_dedicated_vectors() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    orphaned boolean;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM written LEFT JOIN LATERAL (SELECT parent.id FROM public.%1$I AS parent'
        ' WHERE parent.knowledge_space_id = written.knowledge_space_id AND parent.id = written.%2$I FOR KEY SHARE)'
        ' AS standing ON true WHERE standing.id IS NULL)', TG_ARGV[0], TG_ARGV[1]
    ) INTO orphaned;
    IF orphaned THEN
        RAISE foreign_key_violation USING
            MESSAGE = format('insert or update on table "%s" violates foreign key constraint "%s"', TG_TABLE_NAME, TG_ARGV[2]),
            SCHEMA = 'public', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_ARGV[2];
    END IF;
    RETURN NULL;
END $$
"""
# A space is also deleted while none is open: row security would hide its vectors.
DROP = """
CREATE FUNCTION drop_dedicated_vectors() RETURNS trigger
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text := coalesce(current_setting('app.space_id', true), '');
    emptied uuid;
    own text;
BEGIN
    FOR emptied IN SELECT DISTINCT knowledge_space_id FROM gone LOOP
        PERFORM set_config('app.space_id', emptied::text, true);
        own := format('%s_vector_%s', TG_ARGV[0], replace(emptied::text, '-', ''));
        IF to_regclass(format('public.%I', own)) IS NULL THEN
            own := format('dedicated_%s_vector_default', TG_ARGV[0]);
        END IF;
        BEGIN
            EXECUTE format(
                'DELETE FROM public.%I AS vector USING gone WHERE gone.knowledge_space_id = $1'
                ' AND vector.knowledge_space_id = $1 AND vector.%I = gone.id', own, TG_ARGV[1]
            ) USING emptied;
        EXCEPTION WHEN undefined_table THEN
            -- Maintenance has just dropped the partition, as it does where no vector of it is in use.
            NULL;
        END;
    END LOOP;
    PERFORM set_config('app.space_id', opened, true);
    RETURN NULL;
END $$
"""

ON_ONE_MACHINE = "SELECT relkind = 'v' FROM pg_class WHERE oid = 'public.space_anchor'::regclass"


def _has_dedicated_vectors() -> bool:
    """Return whether spaces may have partitions of their own: not on a Citus cluster, which refuses the triggers."""
    return bool(op.get_bind().scalar(sa.text(ON_ONE_MACHINE)))


# fmt: off


def upgrade() -> None:
    op.add_column('knowledge_space', sa.Column('dedicated_vectors', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Its vectors are in partitions of its own, as those of a large space are.'))
    op.execute(CHECK)
    op.execute(DROP)
    for kind, key, parent, of_key, what in KINDS:
        table = f"dedicated_{kind}_vector"
        op.create_table(
            table,
            sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
            sa.Column(key, sa.Uuid(), nullable=False, comment=of_key),
            sa.Column('vector_set', sa.Integer(), server_default='0', nullable=False, comment='The set it belongs to: searches compare with that of knowledge_space.vector_set alone.'),
            sa.Column('embedding', HALFVEC(), nullable=False, comment="Its vector by the set's embedding model; apart, so that walks read narrow rows."),
            sa.PrimaryKeyConstraint('knowledge_space_id', key, 'vector_set', name=op.f(f"pk_{table}")),
            postgresql_partition_by="LIST (knowledge_space_id)",
            comment=f"{what} of large spaces, each in a partition of its own.",
        )
        # The pattern of all other partitions (app/db/vectors/partitions.py); no space is meant to have rows in it.
        pattern = f"{table}_default"
        op.execute(f"CREATE TABLE {pattern} (LIKE {table} INCLUDING ALL)")
        op.execute(f"ALTER TABLE {pattern} SET (autovacuum_analyze_scale_factor = 0.02)")
        op.execute(f"COMMENT ON TABLE {pattern} IS '{what} of one large space.'")
        for column in ("knowledge_space_id", "vector_set"):
            op.execute(f"ALTER TABLE {pattern} ALTER COLUMN {column} SET STATISTICS 0")
        for each in (table, pattern):
            op.execute(f"ALTER TABLE {each} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {each} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY wall ON {each} USING ({SPACE}) WITH CHECK ({SPACE})")
            for event in ("INSERT", "UPDATE"):
                op.execute(f"CREATE TRIGGER check_{event.lower()} AFTER {event} ON {each} REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION check_dedicated_vectors('{parent}', '{key}', 'fk_{table}_knowledge_space_id_{key}')")
        op.execute(f"ALTER TABLE {table} ATTACH PARTITION {pattern} DEFAULT")
    for kind, key, parent, _, _ in KINDS if _has_dedicated_vectors() else ():
        op.execute(f"CREATE TRIGGER drop_dedicated_vectors AFTER DELETE ON {parent} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_dedicated_vectors('{kind}', '{key}')")


def downgrade() -> None:
    moves_rows = _has_dedicated_vectors()
    for kind, key, parent, _, _ in KINDS:
        if moves_rows:
            op.execute(f"DROP TRIGGER drop_dedicated_vectors ON {parent}")
            op.execute(f"INSERT INTO {kind}_vector (knowledge_space_id, {key}, vector_set, embedding) SELECT v.knowledge_space_id, v.{key}, v.vector_set, v.embedding FROM dedicated_{kind}_vector v JOIN knowledge_space s ON s.id = v.knowledge_space_id AND s.dedicated_vectors ON CONFLICT DO NOTHING")
        op.drop_table(f"dedicated_{kind}_vector")
    op.execute("DROP FUNCTION check_dedicated_vectors()")
    op.execute("DROP FUNCTION drop_dedicated_vectors()")
    op.drop_column('knowledge_space', 'dedicated_vectors')

"""The relations of the connected database with their columns and foreign keys, as plain values.

They determine which tables the canary tries and where rows may violate a key. Only system catalogues are
read, which any role may do.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, text

# Relations of extensions are excluded. Those of another schema count if they have a space's column.
_RELATIONS = """
SELECT CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname,
       quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind::text,
       ARRAY(SELECT a.attname::text FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d
                  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  AND (n.nspname = 'public' OR EXISTS (
      SELECT 1 FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attname = 'knowledge_space_id' AND NOT a.attisdropped))
ORDER BY 1
"""  # noqa: E501

_FOREIGN_KEYS = """
SELECT child.relname::text, k.conname::text, parent.relname::text,
       ARRAY(SELECT ARRAY[ours.attname::text, theirs.attname::text]
             FROM unnest(k.conkey, k.confkey) u(ours, theirs)
             JOIN pg_attribute ours ON ours.attrelid = k.conrelid AND ours.attnum = u.ours
             JOIN pg_attribute theirs ON theirs.attrelid = k.confrelid AND theirs.attnum = u.theirs)
FROM pg_constraint k JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace ORDER BY 1, 2
"""  # noqa: E501

# A hash of the row versions (xmin) of pg_class: it changes with the definitions, not with VACUUM or ANALYZE,
# which update statistics in place.
_MARK = """
SELECT md5(string_agg(format('%s %s', oid, xmin), ',' ORDER BY oid)) FROM pg_class WHERE oid >= 16384
"""


@dataclass(frozen=True)
class Relation:
    """A table (r, p, f), view (v, m) or sequence (S) with its columns; `quoted_name` can be used in SQL."""

    name: str
    quoted_name: str
    kind: str
    columns: tuple[str, ...]

    @property
    def is_table(self) -> bool:
        """Return whether the relation holds rows."""
        return self.kind in ("r", "p", "f")

    def has_column(self, column: str) -> bool:
        """Return whether the relation has a column of that name."""
        return column in self.columns


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key of `table`: the table that it refers to, and the pairs of columns."""

    table: str
    name: str
    target: str
    columns: tuple[tuple[str, str], ...]


def roll_back_and_begin_with_one_snapshot(connection: Connection) -> None:
    """Begin a transaction whose statements all see one snapshot, whatever others create or drop.

    Functions that print definitions do not use the snapshot: see
    `compute_catalogue_fingerprint_and_end_transaction`.
    """
    connection.rollback()
    connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


def compute_catalogue_fingerprint_and_end_transaction(connection: Connection) -> str:
    """Return a value that changes whenever a relation is created, altered or dropped; ends the transaction.

    If it is equal before and after reading, nobody changed the catalogue in between.
    """
    connection.rollback()
    fingerprint = connection.execute(text(_MARK)).scalar_one()
    connection.rollback()
    return str(fingerprint)


def read_relations(connection: Connection) -> list[Relation]:
    """Return Citegraph's relations in the connected database, by name."""
    rows = connection.execute(text(_RELATIONS))
    return [Relation(name, quoted_name, kind, tuple(columns)) for name, quoted_name, kind, columns in rows]


def read_foreign_keys(connection: Connection) -> list[ForeignKey]:
    """Return the foreign keys that are constraints of Postgres."""
    rows = connection.execute(text(_FOREIGN_KEYS))
    return [
        ForeignKey(table, name, target, tuple((column, target_column) for column, target_column in pairs))
        for table, name, target, pairs in rows
    ]

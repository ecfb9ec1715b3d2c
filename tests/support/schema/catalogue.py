"""The catalogue's tables, keys, policies and functions, as plain values.

Read by the lint and by tests that go through every table. Only the catalogue is read, so any role may:
Postgres shows it to everybody.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from app.db.doctor.catalogue import Relation as BareRelation

# Relations of extensions are not ours. Another schema counts as soon as it holds a space's rows.
_RELATIONS = """
SELECT c.oid, CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname,
       quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind::text,
       pg_get_userbyid(c.relowner)::text, c.relrowsecurity, c.relforcerowsecurity,
       coalesce(c.reloptions @> ARRAY['security_invoker=true'], false),
       obj_description(c.oid, 'pg_class'), c.relispartition
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d
                  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  AND (n.nspname = 'public' OR EXISTS (
      SELECT 1 FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attname = 'knowledge_space_id' AND NOT a.attisdropped))
ORDER BY 2
"""  # noqa: E501

_COLUMNS = """
SELECT attrelid, attname::text, format_type(atttypid, atttypmod), attnotnull, col_description(attrelid, attnum)
FROM pg_attribute WHERE attrelid = ANY(:oids) AND attnum > 0 AND NOT attisdropped ORDER BY attrelid, attnum
"""  # noqa: E501

_POLICIES = """
SELECT polrelid, polname::text, polcmd::text, polpermissive, polroles = '{0}'::oid[],
       pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
FROM pg_policy WHERE polrelid = ANY(:oids) ORDER BY polrelid, polname
"""

_CONSTRAINTS = """
SELECT k.conrelid, k.conname::text, k.contype::text, k.convalidated, pg_get_constraintdef(k.oid),
       (SELECT array_agg(a.attname::text ORDER BY u.place) FROM unnest(k.conkey) WITH ORDINALITY u(num, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num),
       nullif(k.confrelid, 0),
       (SELECT array_agg(a.attname::text ORDER BY u.place) FROM unnest(k.confkey) WITH ORDINALITY u(num, place)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num),
       k.confdeltype::text,
       (SELECT array_agg(a.attname::text) FROM unnest(k.confdelsetcols) num
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = num),
       EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgconstraint = k.oid AND t.tgenabled <> 'O')
FROM pg_constraint k WHERE k.conrelid = ANY(:oids) AND k.contype IN ('p', 'u', 'f', 'c', 'x')
ORDER BY k.conrelid, k.conname
"""  # noqa: E501

_INDEXES = """
SELECT i.indrelid, c.relname::text, i.indisunique, i.indisvalid AND i.indisready,
       pg_get_expr(i.indpred, i.indrelid),
       (SELECT array_agg(pg_get_indexdef(i.indexrelid, place, true)
                         || CASE WHEN i.indoption[place - 1] & 1 = 1 THEN ' DESC' ELSE '' END ORDER BY place)
        FROM generate_series(1, i.indnkeyatts) place),
       (SELECT array_agg(pg_get_indexdef(i.indexrelid, place, true) ORDER BY place)
        FROM generate_series(i.indnkeyatts + 1, i.indnatts) place),
       EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = ANY(:oids) ORDER BY i.indrelid, c.relname
"""

_TRIGGERS = """
SELECT tgrelid, tgname::text FROM pg_trigger
WHERE tgrelid = ANY(:oids) AND NOT tgisinternal AND tgenabled = 'O' ORDER BY tgrelid, tgname
"""

_FUNCTIONS = """
SELECT p.oid::regprocedure::text, coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prosecdef AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d
                  WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
ORDER BY 1
"""

RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
_PRIVILEGES = """
SELECT c.oid, r.right FROM unnest(CAST(:oids AS oid[])) c(oid), unnest(CAST(:rights AS text[])) r("right")
WHERE has_table_privilege(:role, c.oid, r.right)
   OR (r.right IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(:role, c.oid, r.right))
"""  # noqa: E501


@dataclass(frozen=True)
class Column:
    """One column of a table or view."""

    name: str
    type: str
    required: bool
    comment: str | None


@dataclass(frozen=True)
class Policy:
    """One row security policy, its conditions as Postgres prints them."""

    name: str
    command: str
    permissive: bool
    for_everybody: bool
    using: str | None
    check: str | None


@dataclass(frozen=True)
class Constraint:
    """One key, foreign key or check. `kind` is p, u, f, c or x as in pg_constraint."""

    name: str
    kind: str
    validated: bool
    definition: str
    columns: tuple[str, ...]
    target: str | None
    target_columns: tuple[str, ...]
    on_delete: str
    nulled: tuple[str, ...]
    disabled: bool


@dataclass(frozen=True)
class Index:
    """One index; `keys` are column names or expressions, with DESC where it sorts so."""

    name: str
    unique: bool
    usable: bool
    predicate: str | None
    keys: tuple[str, ...]
    included: tuple[str, ...]
    of_constraint: bool


@dataclass(frozen=True)
class Relation(BareRelation):
    """One relation with all that hangs on it."""

    oid: int
    owner: str
    row_security: bool
    forced: bool
    invoker: bool
    comment: str | None
    is_partition: bool
    details: tuple[Column, ...]
    policies: tuple[Policy, ...]
    constraints: tuple[Constraint, ...]
    indexes: tuple[Index, ...]
    triggers: tuple[str, ...]
    """Those that are switched on."""


@dataclass(frozen=True)
class Definer:
    """A function that runs with its owner's rights."""

    signature: str
    pinned: bool


@dataclass(frozen=True)
class Catalogue:
    """All relations by name, and the functions that run with their owner's rights."""

    relations: dict[str, Relation]
    definers: tuple[Definer, ...]

    @property
    def tables(self) -> list[Relation]:
        """The relations that hold rows."""
        return [relation for relation in self.relations.values() if relation.is_table]


def read_catalogue(connection: Connection) -> Catalogue:
    """Everything that is Citegraph's in the connected database."""
    heads = connection.execute(text(_RELATIONS)).all()
    oids = {"oids": [row[0] for row in heads]}
    names = {row[0]: row[1] for row in heads}

    def grouped(query: str) -> dict[int, list[Any]]:
        groups: dict[int, list[Any]] = {}
        for oid, *values in connection.execute(text(query), oids):
            groups.setdefault(oid, []).append(values)
        return groups

    columns, policies = grouped(_COLUMNS), grouped(_POLICIES)
    constraints, indexes = grouped(_CONSTRAINTS), grouped(_INDEXES)
    triggers = grouped(_TRIGGERS)
    relations = {}
    for oid, name, quoted, kind, owner, secured, forced, invoker, comment, is_partition in heads:
        relations[name] = Relation(
            name,
            quoted,
            kind,
            tuple(row[0] for row in columns.get(oid, ())),
            oid,
            owner,
            secured,
            forced,
            invoker,
            comment,
            is_partition,
            tuple(Column(*row) for row in columns.get(oid, ())),
            tuple(Policy(*row) for row in policies.get(oid, ())),
            tuple(_constraint(row, names) for row in constraints.get(oid, ())),
            tuple(_index(row) for row in indexes.get(oid, ())),
            tuple(name for (name,) in triggers.get(oid, ())),
        )
    definers = tuple(Definer(*row) for row in connection.execute(text(_FUNCTIONS)))
    return Catalogue(relations, definers)


def read_rights(connection: Connection, catalogue: Catalogue, role: str) -> dict[str, set[str]]:
    """Read the role's rights on relations and any of their columns: by grants to it, its groups, everybody.

    `role` may be `public`: what everybody may do.
    """
    names = {relation.oid: name for name, relation in catalogue.relations.items() if relation.kind != "S"}
    rights: dict[str, set[str]] = {name: set() for name in names.values()}
    granted = connection.execute(
        text(_PRIVILEGES), {"oids": list(names), "rights": list(RIGHTS), "role": role}
    )
    for oid, right in granted:
        rights[names[oid]].add(right)
    return rights


def _constraint(row: list[Any], names: dict[int, str]) -> Constraint:
    name, kind, validated, definition, columns, target, targets, on_delete, nulled, disabled = row
    return Constraint(
        name,
        kind,
        validated,
        definition,
        tuple(columns or ()),
        names.get(target) if target else None,
        tuple(targets or ()),
        on_delete,
        tuple(nulled or ()),
        disabled,
    )


def _index(row: list[Any]) -> Index:
    name, unique, usable, predicate, keys, included, of_constraint = row
    return Index(name, unique, usable, predicate, tuple(keys), tuple(included or ()), of_constraint)

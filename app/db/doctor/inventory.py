"""Reads the whole catalogue of a database as facts: (subject, aspect) and how it is now.

Nothing is left out because nobody thought of it: relations with all their parts, functions, rights, roles,
settings, and whatever else a database can hold. Only what Postgres or an extension made by itself, and did
not change since, gives no fact. Any role may read it; passwords and other databases nobody sees this way.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from app.db.doctor.catalogue import begin_snapshot
from app.db.inspection import PREFIX
from app.db.roles import INSPECT, ROLES, get_raw_connection
from app.db.sql import load_statement

SUPERUSER = "<superuser>"
"""Stands for the role that made the server, whose name differs from host to host."""
DANGEROUS = (
    "pg_read_all_data",
    "pg_write_all_data",
    "pg_read_server_files",
    "pg_write_server_files",
    "pg_execute_server_program",
    "pg_create_subscription",
    "pg_maintain",
)
"""Roles of Postgres itself whose members can read or change rows of tables that were never granted to
them.
"""
_VECTOR_INDEX = re.compile(
    r"index CREATE INDEX ix_(chunk|node)_vector_(?P<space>[0-9a-f]{32})_(?P<own>hnsw_)?\d+"
    r" ON public\.\1_vector(?(own)_(?P=space)) USING hnsw "
    r"\(\(\(embedding\)::\S+\.halfvec\(\d+\)\) \S+\.halfvec_cosine_ops\)( WITH \([^()]*\))? WHERE "
    r"(?(own)\(vector_set = \d+\)"
    r"|\(\(knowledge_space_id = '[0-9a-f-]{36}'::uuid\) AND \(vector_set = \d+\)\))"
    r"(, not valid)?"
)
"""The index of a large space (app/db/vectors/indexes.py): each is named for its space, and none can be listed
here. Until the space has been moved into partitions it may be on the table that all share.
"""
_PSQL_LOGIN = re.compile(
    rf"role {PREFIX}[0-9a-f]{{32}}: (member of {INSPECT} inherits, may act as it|setting \w+ .*)", re.DOTALL
)
"""A login for psql (app/db/inspection.py), which is named for its space, and may set its own settings."""
_CLOSED = re.compile(
    r"(lo_\w+|loread|lowrite|pg_(try_)?advisory_\w+|pg_notify|pg_logical_emit_message)\(.*\): "
    r"(as the server made it no longer: internal, .*|taken from PUBLIC .*|granted to"
    r" citegraph_(app|migrator) .*)"
)
"""What a migration takes from everybody where it runs as a superuser, and leaves as it was where it does
not.
"""
_PARTS = (
    "db.inventory_relations",
    "db.inventory_functions",
    "db.inventory_objects",
    "db.inventory_grants",
    "db.inventory_roles",
)


@dataclass(frozen=True, slots=True)
class CatalogueFact:
    """One thing that is so: `value` says how.

    `standing` says how much it weighs where no migration made it: `fault`, `stranger` (another application's,
    which cannot reach our rows), `known` (the operator trusts it), `login` (of a login that migrates, serves
    or owns the database), `tuning` (a matter of speed), `hardening` (less than usual is allowed),
    `extension`.
    """

    subject: str
    aspect: str
    value: str
    standing: str


def read_inventory(
    connection: Connection, *, logins: Collection[str] = (), trusted: Collection[str] = ()
) -> list[CatalogueFact]:
    """All facts of the connected database at one moment; the transaction is rolled back.

    `logins` may act as our roles. `trusted` are subjects such as `schema billing` or `role monitor`, which
    the operator vouches for; objects of such a schema only as long as they do not use our tables.
    """
    begin_snapshot(connection)
    raw = get_raw_connection(connection)
    parameters: dict[str, Any] = {
        "ours": list(ROLES),
        "dangerous": list(DANGEROUS),
        "scope": ["app.space_id", "app.tenant_id", "app.platform"],
        "logins": list(logins),
        "trusted_schemas": _strip_kind("schema ", trusted),
        "trusted_roles": _strip_kind("role ", trusted),
    }
    facts = []
    try:
        # Names are then spelt out alike, whatever the role's own path is.
        raw.execute("SET LOCAL search_path = ''")
        (reach,) = raw.execute(load_statement("db.inventory_reach").encode(), parameters).fetchone() or ([],)
        (bootstrap,) = raw.execute("SELECT pg_get_userbyid(10)::text").fetchone() or ("",)
        for part in _PARTS:
            rows = raw.execute(load_statement(part).encode(), {**parameters, "reach": reach}).fetchall()
            facts += [_build_fact(row, bootstrap) for row in rows]
    finally:
        connection.rollback()
    return [
        fact
        for fact in facts
        if not _VECTOR_INDEX.fullmatch(f"{fact.aspect.split()[0]} {fact.value}")
        and not _PSQL_LOGIN.fullmatch(f"{fact.subject}: {fact.aspect} {fact.value}")
        and not _CLOSED.fullmatch(f"{fact.subject}: {fact.aspect} {fact.value}")
    ]


def _strip_kind(kind: str, subjects: Collection[str]) -> list[str]:
    return [subject.removeprefix(kind) for subject in subjects if subject.startswith(kind)]


def _build_fact(row: tuple[Any, ...], bootstrap: str) -> CatalogueFact:
    subject, aspect, value, category = row
    if aspect == "owner" and value == bootstrap:
        value = SUPERUSER
    if aspect == "definition":
        value = _strip_security_definer(value)
    head, _, role = aspect.rpartition(" ")
    if head in ("granted to", "taken from", "member of", "of") and role == bootstrap:
        aspect = f"{head} {SUPERUSER}"
    return CatalogueFact(subject, aspect, value or "", category)


def _strip_security_definer(definition: str) -> str:
    """The definition of a function without SECURITY DEFINER, which is a fact of its own (a host may refuse
    it).
    """
    head, start, body = definition.partition("\nAS ")
    lines = [line.replace(" SECURITY DEFINER", "") for line in head.split("\n")]
    return "\n".join(line for line in lines if line.strip()) + start + body

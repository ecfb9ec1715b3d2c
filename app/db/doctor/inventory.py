"""Read the whole catalogue of a database as facts: (subject, aspect) and a value.

It covers relations with all their parts, functions, privileges, roles, settings and every other kind of
object. Only what Postgres or an extension created by itself, unchanged, gives no fact. Any role may read
it; passwords and other databases are not visible this way.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from app.db.doctor.catalogue import roll_back_and_begin_with_one_snapshot
from app.db.inspection import LOGIN_PREFIX
from app.db.roles import INSPECT_ROLE, ROLES, begin_and_get_raw_connection
from app.db.sql import load_statement

SUPERUSER = "<superuser>"
"""Stands for the bootstrap superuser, whose name differs between hosts."""
DANGEROUS_ROLES = (
    "pg_read_all_data",
    "pg_write_all_data",
    "pg_read_server_files",
    "pg_write_server_files",
    "pg_execute_server_program",
    "pg_create_subscription",
    "pg_maintain",
)
"""Predefined roles of Postgres whose members can access tables without a grant."""
_VECTOR_INDEX = re.compile(
    r"index CREATE INDEX ix_(chunk|node)_vector_(?P<space>[0-9a-f]{32})_(?P<own>hnsw_)?\d+"
    r" ON public\.\1_vector(?(own)_(?P=space)) USING hnsw "
    r"\(\(\(embedding\)::\S+\.halfvec\(\d+\)\) \S+\.halfvec_cosine_ops\)( WITH \([^()]*\))? WHERE "
    r"(?(own)\(vector_set = \d+\)"
    r"|\(\(knowledge_space_id = '[0-9a-f-]{36}'::uuid\) AND \(vector_set = \d+\)\))"
    r"(, not valid)?"
)
"""The vector index of a large space (app/db/vectors/indexes.py). It is named after its space, so it cannot be
listed in the expected catalogue. Until the space is moved to its own partitions it is on the shared table.
"""
_PSQL_LOGIN = re.compile(
    rf"role {LOGIN_PREFIX}[0-9a-f]{{32}}: (member of {INSPECT_ROLE} inherits, may act as it|setting \w+ .*)",
    re.DOTALL,
)
"""A login for psql (app/db/inspection.py), which is named after its space and may change its own settings."""
_REVOKED_FUNCTION = re.compile(
    r"(lo_\w+|loread|lowrite|pg_(try_)?advisory_\w+|pg_notify|pg_logical_emit_message)\(.*\): "
    r"(as the server made it no longer: internal, .*|taken from PUBLIC .*|granted to"
    r" citegraph_(app|migrator) .*)"
)
"""Privileges that a migration revokes from PUBLIC only if it runs as a superuser."""
_PARTS = (
    "db.inventory_relations",
    "db.inventory_functions",
    "db.inventory_objects",
    "db.inventory_grants",
    "db.inventory_roles",
)


@dataclass(frozen=True, slots=True)
class CatalogueFact:
    """One fact about the database.

    `category` says how to judge it if no migration created it: `fault`, `stranger` (another application's,
    without access to our rows), `known` (trusted by the operator), `login` (of a login that migrates, serves
    or owns the database), `tuning` (affects only speed), `hardening` (stricter than usual), `extension`.
    """

    subject: str
    aspect: str
    value: str
    category: str


def read_inventory(
    connection: Connection, *, logins: Collection[str] = (), trusted_objects: Collection[str] = ()
) -> list[CatalogueFact]:
    """Return all facts of the connected database in one snapshot; the transaction is rolled back.

    `logins` may act as our roles. `trusted_objects` names subjects such as `schema billing` or `role monitor`
    that the operator trusts; objects in such a schema are trusted only if they do not use our tables.
    """
    roll_back_and_begin_with_one_snapshot(connection)
    driver_connection = begin_and_get_raw_connection(connection)
    parameters: dict[str, Any] = {
        "ours": list(ROLES),
        "dangerous": list(DANGEROUS_ROLES),
        "scope": ["app.space_id", "app.tenant_id", "app.platform"],
        "logins": list(logins),
        "trusted_schemas": _strip_kind("schema ", trusted_objects),
        "trusted_roles": _strip_kind("role ", trusted_objects),
    }
    facts = []
    try:
        # Names are then printed with their schema, whatever the role's search path is.
        driver_connection.execute("SET LOCAL search_path = ''")
        (role_oids,) = driver_connection.execute(
            load_statement("db.inventory_reach").encode(), parameters
        ).fetchone() or ([],)
        (bootstrap,) = driver_connection.execute("SELECT pg_get_userbyid(10)::text").fetchone() or ("",)
        for query_part in _PARTS:
            rows = driver_connection.execute(
                load_statement(query_part).encode(), {**parameters, "reach": role_oids}
            ).fetchall()
            facts += [_build_fact(row, bootstrap) for row in rows]
    finally:
        connection.rollback()
    return [
        fact
        for fact in facts
        if not _VECTOR_INDEX.fullmatch(f"{fact.aspect.split()[0]} {fact.value}")
        and not _PSQL_LOGIN.fullmatch(f"{fact.subject}: {fact.aspect} {fact.value}")
        and not _REVOKED_FUNCTION.fullmatch(f"{fact.subject}: {fact.aspect} {fact.value}")
    ]


def _strip_kind(kind: str, subjects: Collection[str]) -> list[str]:
    return [subject.removeprefix(kind) for subject in subjects if subject.startswith(kind)]


def _build_fact(row: tuple[Any, ...], bootstrap: str) -> CatalogueFact:
    subject, aspect, value, category = row
    if aspect == "owner" and value == bootstrap:
        value = SUPERUSER
    if aspect == "definition":
        value = _remove_security_definer_from_definition(value)
    head, _, role = aspect.rpartition(" ")
    if head in ("granted to", "taken from", "member of", "of") and role == bootstrap:
        aspect = f"{head} {SUPERUSER}"
    return CatalogueFact(subject, aspect, value or "", category)


def _remove_security_definer_from_definition(definition: str) -> str:
    """Return a function's definition without SECURITY DEFINER, which hosts may refuse: a separate fact."""
    head, start, body = definition.partition("\nAS ")
    lines = [line.replace(" SECURITY DEFINER", "") for line in head.split("\n")]
    return "\n".join(line for line in lines if line.strip()) + start + body

"""The catalogue lint: proves walls 3 and 4 for every table that the migrations make, present and future.

The doctor compares a database in use with what the migrations make, so what holds here holds there.

Rules I1, I2 and section 6, item 4 of reliability.md. Nothing here knows a table by name except the
few exceptions, each with its reason: a new table joins by being there.
"""

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, text

from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base
from app.db.doctor.definition_comparison import is_same_definition
from app.db.doctor.table_verdicts import TableVerdict
from app.db.inspection import POLICY_NAME as INSPECT_POLICY
from app.db.policies import TENANT_ID, get_policy_condition, get_wall
from app.db.roles import APP, BACKUP_ROLE, INSPECT_ROLE, OWNER, SECRET_TABLES, WORD_SEARCH_FUNCTION
from app.db.table_distribution import SPACE_ID
from app.db.vectors.indexes import is_vector_index_name
from tests.support.schema.catalogue import Constraint, Relation, read_catalogue, read_rights
from tests.support.schema.models import compare_with_models

# Tables that belong to nobody and hold nothing of anybody's.
PLATFORM_TABLES = {"alembic_version": "one row, the number of the newest migration"}
# Keys that do not begin with the space.
KEY_EXCEPTIONS = {
    "fk_job_tenant_id_knowledge_space_id": (
        "proves that a job's tenant owns its space; the space is part of it"
    ),
}
# Functions that may run with their owner's rights; their search_path must be pinned all the same.
DEFINERS = {
    WORD_SEARCH_FUNCTION: (
        "no index serves a search for words under row security (fact 22); it reads the space itself"
    ),
}
# What citegraph_inspect may not read, and citegraph_app may not change.
HIDDEN_FROM_INSPECT = dict.fromkeys(SECRET_TABLES, "hashes of secrets are nobody's business")
APPEND_ONLY = {"audit_event": "nobody edits the record of what was done"}


def lint(connection: Connection, *, app_role: str = APP) -> list[TableVerdict]:
    """A verdict on every relation and owner's-rights function; reads the catalogue only, so any role may ask.

    `app_role` is the role that the application acts as: citegraph_app, or on a host without roles
    its login. Warnings instead of problems are given for what that login may do as an owner.
    """
    catalogue = read_catalogue(connection)
    models_say = compare_with_models(catalogue, Base.metadata)
    rights = {role: read_rights(connection, catalogue, role) for role in _present(connection, app_role)}
    hosted = all(table.owner != OWNER for table in catalogue.tables)
    verdicts = []
    for name, relation in catalogue.relations.items():
        problems = [*_relation_problems(relation), *models_say.pop(name, [])]
        warnings: list[str] = []
        if relation.is_table and not hosted and relation.owner not in (OWNER, app_role):
            problems.append(f"is owned by {relation.owner}: ALTER TABLE … OWNER TO {OWNER} (rule I1)")
        for complaint in _right_problems(relation, rights, app_role):
            (warnings if hosted and relation.owner == app_role else problems).append(complaint)
        verdicts.append(TableVerdict(name, get_wall(relation), tuple(problems), tuple(warnings)))
    for name, missing in models_say.items():
        verdicts.append(TableVerdict(name, "none", tuple(missing)))
    for function in catalogue.definers:
        faults = []
        if function.signature not in DEFINERS:
            faults.append(
                "runs with its owner's rights and is not on the list of tests/support/schema (fact 14)"
            )
        if not function.pinned:
            faults.append(
                "has no pinned search_path that ends with pg_temp, which else stands before all others:"
                " ALTER FUNCTION … SET search_path = pg_catalog, pg_temp"
            )
        verdicts.append(TableVerdict(function.signature, "function", tuple(faults)))
    verdicts.append(_schema_verdict(connection, rights.keys(), app_role if hosted else None))
    return verdicts


def _present(connection: Connection, app_role: str) -> list[str]:
    existing_roles = set(connection.execute(text("SELECT rolname FROM pg_roles")).scalars())
    return [
        "public",
        *(role for role in dict.fromkeys((app_role, INSPECT_ROLE, BACKUP_ROLE)) if role in existing_roles),
    ]


def _schema_verdict(connection: Connection, roles: Iterable[str], owning_login: str | None) -> TableVerdict:
    """Who may add objects: a function of the same name, made by the application, could stand before ours."""
    may_create = text("SELECT has_schema_privilege(:role, 'public', 'CREATE')")
    sentences: dict[bool, list[str]] = {True: [], False: []}
    for role in roles:
        if connection.execute(may_create, {"role": role}).scalar_one():
            sentence = (
                f"{role} may create objects in it: REVOKE CREATE ON SCHEMA public FROM {role} (rule I1)"
            )
            sentences[role == owning_login].append(sentence)
    return TableVerdict("schema public", "schema", tuple(sentences[False]), tuple(sentences[True]))


def _relation_problems(relation: Relation) -> Iterator[str]:
    if relation.kind == "S":
        yield "is a sequence: its numbers tell one space what another does; use uuid ids (fact 16)"
        return
    if relation.comment is None:
        yield "has no comment (requirement 13.1)"
    if relation.kind == "m":
        yield "is a materialised view, which row security cannot protect (fact 13): use a table"
    elif relation.kind == "v" and not relation.invoker:
        yield "shows its owner's rows to everybody (fact 13): ALTER VIEW … SET (security_invoker = true)"
    bare = [column.name for column in relation.details if column.comment is None]
    if bare:
        yield f"has columns without a comment: {', '.join(bare)} (requirement 13.1)"
    if relation.kind not in ("m", "v"):
        yield from _policy_problems(relation)
        yield from _key_problems(relation)


def _policy_problems(relation: Relation) -> Iterator[str]:
    expected = get_policy_condition(relation)
    if expected is None:
        if relation.name not in PLATFORM_TABLES:
            yield f"has no {SPACE_ID} and no {TENANT_ID}: nobody owns its rows"
        return
    if relation.kind == "f":
        yield "is a foreign table, which row security cannot protect: use a table"
    if not relation.row_security:
        yield "has row security off: ALTER TABLE … ENABLE ROW LEVEL SECURITY"
    if not relation.forced:
        yield "does not hold its owner to row security: ALTER TABLE … FORCE ROW LEVEL SECURITY"
    # What holds people with psql to one space can only take rows away; the catalogue is compared with it
    # whole.
    policies = [
        relation_policy
        for relation_policy in relation.policies
        if relation_policy.permissive or relation_policy.name != INSPECT_POLICY
    ]
    if len(policies) != 1:
        names = ", ".join(policy.name for policy in policies) or "none"
        yield f"must have exactly one policy, and has {names}: a second one would widen the first"
    for policy in policies:
        if not policy.permissive or policy.command != "*" or not policy.for_everybody:
            yield f"policy {policy.name} must hold for all commands and everybody"
        for word, condition in (("USING", policy.using), ("WITH CHECK", policy.check)):
            if condition is None or not is_same_definition(condition, expected):
                yield f"policy {policy.name}: {word} is {condition}, where {expected} is expected (fact 6)"


def _key_problems(relation: Relation) -> Iterator[str]:
    by_space = get_wall(relation).startswith("space")
    for key in relation.constraints:
        if not key.validated:
            yield (
                f"{key.name} was never checked on old rows: ALTER TABLE … VALIDATE CONSTRAINT, as a role that"
                " bypasses"
            )
        if key.disabled:
            yield f"{key.name} is switched off: ALTER TABLE … ENABLE TRIGGER ALL"
        starts_well = key.columns[:1] == (SPACE_ID,) or key.name in KEY_EXCEPTIONS
        if by_space and key.kind in ("p", "u", "x", "f") and not starts_well:
            yield f"{key.name} must begin with {SPACE_ID} (facts 7 and 17)"
        if key.kind == "f":
            yield from _foreign_key_problems(relation, key)
    if not any(key.kind == "p" for key in relation.constraints):
        yield "has no primary key"
    for index in relation.indexes:
        # Of a vector index that is being built, or whose build was broken off, `app.db.vectors` knows.
        if not index.usable and not is_vector_index_name(index.name):
            yield f"{index.name} is not valid: REINDEX INDEX CONCURRENTLY, or drop and make it again"
        if by_space and index.unique and index.keys[0] != SPACE_ID:
            yield f"{index.name} is unique across spaces, which tells one what another holds (fact 17)"


def _foreign_key_problems(relation: Relation, key: Constraint) -> Iterator[str]:
    required = {column.name for column in relation.details if column.required}
    if key.on_delete == "n" and (not key.nulled or required & set(key.nulled)):
        yield f"{key.name} nulls its whole key: ON DELETE SET NULL needs the list of columns (fact 8)"
    # Of keys that name the space of a row, the space alone is as selective as the whole.
    leading_columns = (
        {SPACE_ID} if key.target == "knowledge_space" and SPACE_ID in key.columns else set(key.columns)
    )
    if not any(
        index.usable
        and index.predicate is None
        and set(index.keys[: len(leading_columns)]) == leading_columns
        for index in relation.indexes
    ):
        yield f"{key.name} has no index on {', '.join(key.columns)}: each deletion reads the table (fact 10)"


def _right_problems(
    relation: Relation, rights: dict[str, dict[str, set[str]]], app_role: str
) -> Iterator[str]:
    if relation.kind == "S":
        return
    if relation.owner == app_role:
        yield f"is owned by {app_role}, which could switch its row security off (rule I1)"
    granted = {role: relation_rights.get(relation.name, set()) for role, relation_rights in rights.items()}
    allowed = {"SELECT"}
    if relation.is_table and relation.name not in PLATFORM_TABLES:
        allowed = {"SELECT", "INSERT"} | (set() if relation.name in APPEND_ONLY else {"UPDATE", "DELETE"})
    limits = {"public": set(), app_role: allowed, INSPECT_ROLE: {"SELECT"}, BACKUP_ROLE: {"SELECT"}}
    if relation.name in HIDDEN_FROM_INSPECT:
        limits[INSPECT_ROLE] = set()
    for role, limit in limits.items():
        if role not in granted:
            continue
        if beyond := sorted(granted[role] - limit):
            yield (
                f"{role} may {', '.join(beyond)} on it: REVOKE {', '.join(beyond)} ON {relation.name} FROM"
                f" {role}"
            )
        if missing := sorted(limit - granted[role]):
            yield f"{role} may not {', '.join(missing)} on it: run `citegraph migrate`"

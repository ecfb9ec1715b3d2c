"""The statements that turn a migrated database into a Citus cluster, in order.

They are built from the catalogue that the migrations create (`app/db/doctor/catalogue.json`) and the class
of each table, so that a new table, key or trigger is included automatically (docs/citus.md).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import psycopg

from app.db.base import Base, TriggerKey
from app.db.doctor.catalogue_comparison import Catalogue, load_expected_catalogue
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.health import find_newest_migration_number
from app.db.node_watch import NODE_TIMEOUT_MS
from app.db.roles import APP, HAS_CITUS_CONDITION, INSPECT_ROLE, MIGRATOR, OWNER
from app.db.sql import split_statements
from app.db.table_distribution import ANCHOR, DISTRIBUTED, LOCAL_TABLES, SHARDED, SPACE_ID
from app.errors import ConfigurationError

NULLIFY_PREFIX = "Nullify_"
"""Prefix of triggers that run before those of foreign keys: triggers run in byte order of their names."""
FIRST_TABLE = "graph_node"
"""The table with which all others are colocated."""
REPLACED_FUNCTIONS = {
    "note_added_edges()": ("note_added_edges", "2ce572301f1a"),
    "note_changed_edge()": ("note_changed_edge", "d2a960086169"),
    "note_hidden_node()": ("note_hidden_node", "8a80ec761454"),
    "note_nodes_of_edge()": ("note_nodes_of_edge", "df9c7e8e54d9"),
    "note_nodes_of_edges()": ("note_nodes_of_edges", "0a2dc121285a"),
    "chunk_matches(tsquery,text[],integer)": ("chunk_matches", "8949bab757b0"),
}
"""Functions that cannot run on Citus nodes: the file of each replacement, and the beginning of the SHA-256 of
the original. If a migration changes the original, its replacement must be reviewed.
"""
_FOREIGN_KEY = re.compile(
    r"FOREIGN KEY \((?P<ours>[^)]+)\) REFERENCES public\.(?P<table>\w+)\((?P<theirs>[^)]+)\)(?P<rest>.*)"
)
_POLICY_DEFINITION = re.compile(
    r"(?P<kind>\w+ for \S) to (?P<role>\w+) using (?P<using>.+) with check (?P<check>.+)", re.DOTALL
)
_SET_NULL_CLAUSE = re.compile(r" ON DELETE SET NULL \((?P<column>\w+)\)")
_SIZE_INSERTION = re.compile(
    r"INSERT INTO public\.space_size \(tenant_id, knowledge_space_id, id, (?P<columns>[^)]+)\)\s+"
    r"SELECT space\.tenant_id, space\.id, gen_random_uuid\(\), (?P<values>.+?)\s+"
    r"FROM (?P<rows>.+? AS changed(?: \([^)]*\))?) JOIN public\.knowledge_space",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One statement and its phase; `done_condition` is an SQL condition that holds once it was executed.

    A step without a condition is executed every time and may be repeated.
    """

    phase: str
    sql: str
    done_condition: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key on a cluster; `nulled_column` is set to NULL by a trigger if its target is deleted."""

    table: str
    name: str
    definition: str
    nulled_column: str | None = None
    target: str = ""


def list_distribution_steps(*, shard_count: int = 32) -> list[Step]:
    """Return the steps for a database with the catalogue of the newest migration."""
    catalogue = load_expected_catalogue()
    steps = [
        Step("roles", f"ALTER ROLE {OWNER} LOGIN"),
        Step("roles", f"ALTER ROLE {MIGRATOR} LOGIN"),
        *(
            Step("roles", f"ALTER ROLE {role} SET citus.propagate_set_commands = 'local'")
            for role in (APP, INSPECT_ROLE)
        ),
        # A silent node does not refuse connections: requests to its spaces fail after this long.
        Step(
            "roles",
            f"ALTER ROLE {APP} SET citus.node_connection_timeout = {NODE_TIMEOUT_MS}",
            "EXISTS (SELECT FROM pg_db_role_setting AS own, unnest(own.setconfig) AS setting"
            f" WHERE own.setrole = '{APP}'::regrole AND own.setdatabase = 0"
            f" AND setting = 'citus.node_connection_timeout={NODE_TIMEOUT_MS}')",
        ),
        Step("session", "SET citus.enable_unsafe_triggers = on"),
        *_drop_triggers_and_keys(catalogue),
        *_replace_policies(catalogue),
        # In one statement: between the two the database would have no anchor.
        Step(
            "anchor",
            ";\n".join((f"DROP VIEW public.{ANCHOR}", *split_statements(load_function("space_anchor")))),
            f"EXISTS (SELECT FROM pg_class WHERE oid = 'public.{ANCHOR}'::regclass AND relkind <> 'v')",
        ),
        *_distribute_tables(shard_count),
    ]
    foreign_keys = list(_list_foreign_keys(catalogue))
    steps += [
        Step(
            "keys",
            f"ALTER TABLE public.{key.table} ADD CONSTRAINT {key.name} {key.definition}",
            f"EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'public.{key.table}'::regclass"
            f" AND conname = '{key.name}')",
        )
        for key in foreign_keys
    ]
    steps += _create_functions(catalogue, foreign_keys)
    steps += _create_triggers(catalogue, foreign_keys)
    tables = sorted(SHARDED)
    steps += [
        Step(
            "local copies",
            f"SELECT truncate_local_data_after_distributing_table('public.{table}')",
            f"pg_relation_size('public.{table}') = 0",
        )
        for table in tables
    ]
    return [*steps, Step("statistics", "ANALYZE")]


def distribute_database(
    url: str, *, shard_count: int = 32, on_step: Callable[[int, Step], None] = lambda _number, _step: None
) -> list[Step]:
    """Execute the steps on the coordinator at this superuser's URL, each committed separately; return those
    executed.

    Steps that an earlier run executed are skipped, so an interrupted run can be continued. Nobody else may
    use the database meanwhile. Raises ConfigurationError if Citus is missing, the schema is not the newest,
    everything is done already, or a step fails.
    """
    steps = list_distribution_steps(shard_count=shard_count)
    steps_taken = []
    with psycopg.connect(convert_to_conninfo(convert_to_psycopg_url(url)), autocommit=True) as connection:
        _require_distributable(connection)
        if all(_is_done(connection, step) for step in steps if step.done_condition):
            raise ConfigurationError("That database is distributed already: `citegraph doctor` checks it.")
        for command in (
            "SET statement_timeout = 0",
            "SET lock_timeout = 0",
            "SET client_min_messages = warning",
        ):
            connection.execute(command)
        for step_number, step in enumerate(steps, 1):
            if _is_done(connection, step):
                continue
            on_step(step_number, step)
            try:
                connection.execute(step.sql.encode())
            except psycopg.DatabaseError as error:
                reason = str(error).splitlines()[0]
                raise ConfigurationError(
                    f"Step {step_number} of {len(steps)} ({step.phase}) failed; those before it are done:"
                    f" {reason}"
                ) from error
            steps_taken.append(step)
    return steps_taken


def _is_done(connection: psycopg.Connection[tuple[object, ...]], step: Step) -> bool:
    """Return whether the step was executed before; False if it has no condition."""
    if step.done_condition is None:
        return False
    return connection.execute(f"SELECT {step.done_condition}".encode()).fetchone() == (True,)


def _require_distributable(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    citus_row = connection.execute(f"SELECT {HAS_CITUS_CONDITION}".encode()).fetchone()
    if citus_row != (True,):
        raise ConfigurationError("Citus is not installed in that database: CREATE EXTENSION citus.")
    if connection.execute("SELECT to_regclass('public.alembic_version') IS NULL").fetchone() == (True,):
        raise ConfigurationError("That database has no tables yet: run `citegraph migrate` first.")
    revision = connection.execute("SELECT version_num FROM public.alembic_version").fetchone()
    if revision != (find_newest_migration_number(),):
        raise ConfigurationError("That database is not at the newest schema: run `citegraph migrate` first.")


class _TableObject(NamedTuple):
    """A trigger, constraint or policy of a table."""

    table: str
    name: str
    definition: str


def _list_objects_of_distributed_tables(catalogue: Catalogue, kind: str) -> Iterator[_TableObject]:
    """Yield the distributed tables' objects of one kind, such as "trigger", in the order of the tables."""
    for table in sorted(DISTRIBUTED):
        for aspect, definition in catalogue.get(table, {}).items():
            if aspect.startswith(f"{kind} "):
                yield _TableObject(table, aspect.removeprefix(f"{kind} "), definition)


def _drop_triggers_and_keys(catalogue: Catalogue) -> Iterator[Step]:
    """Yield steps that drop triggers and foreign keys, which would run for each copied row.

    On a distributed table they are already dropped, or recreated for a cluster. A table added by a later
    migration still has them.
    """
    for table, dropped_name, _ in _list_objects_of_distributed_tables(catalogue, "trigger"):
        yield Step(
            "take apart",
            f"DROP TRIGGER IF EXISTS {dropped_name} ON public.{table}",
            _build_distributed_condition(table),
        )
    for table, dropped_name, definition in _list_objects_of_distributed_tables(catalogue, "constraint"):
        if definition.startswith("FOREIGN KEY"):
            yield Step(
                "take apart",
                f"ALTER TABLE public.{table} DROP CONSTRAINT IF EXISTS {dropped_name}",
                _build_distributed_condition(table),
            )


def _replace_policies(catalogue: Catalogue) -> Iterator[Step]:
    """Yield steps that replace restrictive policies, because Citus makes every policy on a shard permissive.

    Any permissive policy lets a row pass. So the wall applies only to the application and the owner, and psql
    logins have only the other policy, which restricts them to the space of their name whatever they set.
    """
    # The wall first: until it is narrowed, it would also apply to psql logins.
    for table, policy_name, policy_definition in sorted(
        _list_objects_of_distributed_tables(catalogue, "policy"), key=lambda policy: policy.name != "wall"
    ):
        if policy_name == "wall":
            roles_condition = f"'{{{APP},{OWNER}}}'::regrole[]::oid[]"
            yield _build_policy_step(
                table,
                policy_name,
                f"ALTER POLICY wall ON public.{table} TO {APP}, {OWNER}",
                f"polroles = {roles_condition}",
            )
            continue
        policy_match = _POLICY_DEFINITION.fullmatch(policy_definition)
        if policy_match is None or policy_match["kind"] != "restrictive for r":
            raise LookupError(
                f"{table} has a policy {policy_name} that no shard would keep: {policy_definition}"
            )
        # Between the two statements psql logins see nothing, since the wall no longer applies to them.
        policy_query = (
            f"SELECT FROM pg_policy WHERE polrelid = 'public.{table}'::regclass AND polname = '{policy_name}'"
        )
        yield Step(
            "policies",
            f"DROP POLICY IF EXISTS {policy_name} ON public.{table}",
            f"NOT EXISTS ({policy_query} AND NOT polpermissive)",
        )
        yield _build_policy_step(
            table,
            policy_name,
            f"CREATE POLICY {policy_name} ON public.{table} FOR SELECT TO {policy_match['role']}"
            f" USING ({policy_match['using']})",
            "polpermissive",
        )


def _build_policy_step(table: str, policy_name: str, policy_command: str, condition: str) -> Step:
    policy_query = (
        f"SELECT FROM pg_policy WHERE polrelid = 'public.{table}'::regclass AND polname = '{policy_name}'"
    )
    return Step("policies", policy_command, f"EXISTS ({policy_query} AND {condition})")


def _distribute_tables(shard_count: int) -> Iterator[Step]:
    arguments = f"'public.{FIRST_TABLE}', '{SPACE_ID}', shard_count => {shard_count}, colocate_with => 'none'"
    yield Step(
        "distribute",
        f"SELECT create_distributed_table({arguments})",
        _build_distributed_condition(FIRST_TABLE),
    )
    for table in sorted(SHARDED - {FIRST_TABLE}):
        arguments = f"'public.{table}', '{SPACE_ID}', colocate_with => 'public.{FIRST_TABLE}'"
        yield Step(
            "distribute",
            f"SELECT create_distributed_table({arguments})",
            _build_distributed_condition(table),
        )


def _list_foreign_keys(catalogue: Catalogue) -> Iterator[ForeignKey]:
    """Yield the foreign keys to create afterwards; those to spaces refer to the anchor instead."""
    for table, key_name, definition in _list_objects_of_distributed_tables(catalogue, "constraint"):
        key_match = _FOREIGN_KEY.fullmatch(definition)
        if key_match is None:
            continue
        if key_match["table"] in LOCAL_TABLES:
            if key_match["table"] == "knowledge_space":
                anchor_definition = (
                    f"FOREIGN KEY ({SPACE_ID}) REFERENCES public.{ANCHOR}({SPACE_ID}) ON DELETE CASCADE"
                )
                yield ForeignKey(table, key_name, anchor_definition)
        elif nulled_match := _SET_NULL_CLAUSE.search(definition):
            definition_without_nulls = _SET_NULL_CLAUSE.sub("", definition)
            yield ForeignKey(
                table,
                key_name,
                definition_without_nulls,
                nulled_column=nulled_match["column"],
                target=key_match["table"],
            )
        else:
            yield ForeignKey(table, key_name, definition)
    for model in Base.metadata.sorted_tables:
        for constraint in model.constraints:
            if isinstance(constraint, TriggerKey) and model.name in DISTRIBUTED:
                target_columns = ", ".join(element.column.name for element in constraint.elements)
                target = constraint.elements[0].column.table.name
                columns = ", ".join(constraint.column_keys)
                definition = (
                    f"FOREIGN KEY ({columns}) REFERENCES public.{target}({target_columns}) ON DELETE CASCADE"
                )
                yield ForeignKey(model.name, str(constraint.name), definition)


def load_function(name: str) -> str:
    """Return the text of `functions/<name>.sql`, which exist only on a cluster."""
    return files("app.db.scaling").joinpath("functions", f"{name}.sql").read_text("utf-8")


def build_replaced_functions(catalogue: Catalogue) -> dict[str, str]:
    """Return the replacements of functions that cannot run on Citus nodes, by signature."""
    body_by_signature = {
        signature: load_function(name) for signature, (name, _) in REPLACED_FUNCTIONS.items()
    }
    for signature, aspects in catalogue.items():
        definition = aspects.get("definition", "")
        if "INTO public.space_size" not in definition:
            continue
        insertion_match = _SIZE_INSERTION.search(definition)
        if insertion_match is None:
            raise LookupError(f"{signature} does not add to space_size as the others do.")
        body_by_signature[signature] = _build_note_size(signature.removesuffix("()"), insertion_match)
    return body_by_signature


def _build_note_size(name: str, insertion_match: re.Match[str]) -> str:
    columns = [column.strip() for column in insertion_match["columns"].split(",")]
    values = re.split(r",(?![^(]*\))", " ".join(insertion_match["values"].split()))
    named_values = ", ".join(
        f"{value.strip()} AS {column}" for value, column in zip(values, columns, strict=True)
    )
    return _fill_template(
        load_function("note_size"),
        {
            "name": name,
            "values": named_values,
            "rows": insertion_match["rows"],
            "columns": ", ".join(columns),
            "sizes": ", ".join(f"size.{column}" for column in columns),
        },
    )


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}(?!')", lambda match: values.get(match[1], match[0]), template)


def _create_functions(catalogue: Catalogue, keys: list[ForeignKey]) -> Iterator[Step]:
    for _, body in sorted(build_replaced_functions(catalogue).items()):
        yield Step("functions", _strip_comment(body))
    yield Step("functions", _strip_comment(load_function("keep_anchor")))
    for key in keys:
        if key.nulled_column:
            template_values = {
                "name": f"nullify_{key.table}_{key.nulled_column}",
                "table": key.table,
                "column": key.nulled_column,
            }
            yield Step("functions", _strip_comment(_fill_template(load_function("nullify"), template_values)))


def _create_triggers(catalogue: Catalogue, keys: list[ForeignKey]) -> Iterator[Step]:
    key_trigger_names = {
        name
        for table in Base.metadata.sorted_tables
        for constraint in table.constraints
        if isinstance(constraint, TriggerKey)
        for names in constraint.triggers.values()
        for name in names
    }
    for table, name, definition in _list_objects_of_distributed_tables(catalogue, "trigger"):
        # On a cluster foreign keys replace these triggers.
        if name not in key_trigger_names:
            yield _build_trigger_step(definition, table, name)
    for key in keys:
        if key.nulled_column:
            function_name = f"nullify_{key.table}_{key.nulled_column}"
            trigger_name = f"{NULLIFY_PREFIX}{key.table}_{key.nulled_column}"
            # AFTER the row: a BEFORE trigger may not change rows that the same statement deletes, such as a
            # community with its children. The name sorts before `RI_ConstraintTrigger…`, which checks the
            # key.
            yield _build_trigger_step(
                f'CREATE TRIGGER "{trigger_name}" AFTER DELETE ON public.{key.target}'
                f" FOR EACH ROW EXECUTE FUNCTION public.{function_name}()",
                key.target,
                trigger_name,
            )
    for event in ("insert", "delete"):
        yield _build_trigger_step(
            f"CREATE TRIGGER keep_anchor_{event} AFTER {event.upper()} ON public.knowledge_space"
            " FOR EACH ROW EXECUTE FUNCTION public.keep_anchor()",
            "knowledge_space",
            f"keep_anchor_{event}",
        )


def _build_trigger_step(definition: str, table: str, name: str) -> Step:
    trigger_query = f"SELECT FROM pg_trigger WHERE tgrelid = 'public.{table}'::regclass AND tgname = '{name}'"
    return Step("triggers", definition, f"EXISTS ({trigger_query})")


def _build_distributed_condition(table: str) -> str:
    return f"EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'public.{table}'::regclass)"


def _strip_comment(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not line.startswith("--"))

"""The statements that turn a database at the newest migration into a Citus cluster's, in their order.

They are made from the catalogue that the migrations leave (`app/db/doctor/catalogue.json`) and the class of
each table, so that a new table, key or trigger is in them by being there (docs/citus.md).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from app.db.base import Base, TriggerKey
from app.db.doctor.snapshot import Catalogue, load_expected_catalogue
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.health import find_newest_revision
from app.db.node_watch import NODE_TIMEOUT_MS
from app.db.roles import APP, HAS_CITUS, INSPECT, MIGRATOR, OWNER
from app.db.sql import split_statements
from app.db.table_distribution import ANCHOR, DISTRIBUTED, LOCAL, SHARDED, SPACE_ID
from app.errors import ConfigurationError

NULLIFY_PREFIX = "Nullify_"
"""How the names of triggers begin that run before those of foreign keys, by the order of their bytes."""
FIRST_TABLE = "graph_node"
"""The table that all others are colocated with."""
REPLACED_FUNCTIONS = {
    "note_added_edges()": ("note_added_edges", "2ce572301f1a"),
    "note_changed_edge()": ("note_changed_edge", "d2a960086169"),
    "note_hidden_node()": ("note_hidden_node", "8a80ec761454"),
    "note_nodes_of_edge()": ("note_nodes_of_edge", "df9c7e8e54d9"),
    "note_nodes_of_edges()": ("note_nodes_of_edges", "0a2dc121285a"),
    "chunk_matches(tsquery,text[],integer)": ("chunk_matches", "8949bab757b0"),
}
"""Functions that no worker could run as one machine has them: the file that takes the place of each, and
the beginning of the SHA-256 of what it replaces. Where a migration changes that, the other is looked at too.
"""
_KEY = re.compile(
    r"FOREIGN KEY \((?P<ours>[^)]+)\) REFERENCES public\.(?P<table>\w+)\((?P<theirs>[^)]+)\)(?P<rest>.*)"
)
_POLICY = re.compile(
    r"(?P<kind>\w+ for \S) to (?P<role>\w+) using (?P<using>.+) with check (?P<check>.+)", re.DOTALL
)
_NULLS = re.compile(r" ON DELETE SET NULL \((?P<column>\w+)\)")
_SIZES = re.compile(
    r"INSERT INTO public\.space_size \(tenant_id, knowledge_space_id, id, (?P<columns>[^)]+)\)\s+"
    r"SELECT space\.tenant_id, space\.id, gen_random_uuid\(\), (?P<values>.+?)\s+"
    r"FROM (?P<rows>.+? AS changed(?: \([^)]*\))?) JOIN public\.knowledge_space",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One statement, and in which part of the work it stands; `done_condition` is that by which it was taken.

    One without is taken each time: it leaves what it finds as it is.
    """

    phase: str
    sql: str
    done_condition: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key between tables as a cluster has it; `nulled_column` is the one that a trigger empties."""

    table: str
    name: str
    definition: str
    nulled_column: str | None = None
    target: str = ""


def list_steps(catalogue: Catalogue | None = None, *, shards: int = 32) -> list[Step]:
    """The steps for a database whose catalogue this is; by default the one of the newest migration."""
    source_catalogue = load_expected_catalogue() if catalogue is None else catalogue
    steps = [
        Step("roles", f"ALTER ROLE {OWNER} LOGIN"),
        Step("roles", f"ALTER ROLE {MIGRATOR} LOGIN"),
        *(
            Step("roles", f"ALTER ROLE {role} SET citus.propagate_set_commands = 'local'")
            for role in (APP, INSPECT)
        ),
        # A node that is silent refuses nothing: requests to its spaces are answered after this long.
        Step(
            "roles",
            f"ALTER ROLE {APP} SET citus.node_connection_timeout = {NODE_TIMEOUT_MS}",
            "EXISTS (SELECT FROM pg_db_role_setting AS own, unnest(own.setconfig) AS setting"
            f" WHERE own.setrole = '{APP}'::regrole AND own.setdatabase = 0"
            f" AND setting = 'citus.node_connection_timeout={NODE_TIMEOUT_MS}')",
        ),
        Step("session", "SET citus.enable_unsafe_triggers = on"),
        *_drop_triggers_and_keys(source_catalogue),
        *_replace_policies(source_catalogue),
        # At once: a database without either has no anchor to make rows by.
        Step(
            "anchor",
            ";\n".join((f"DROP VIEW public.{ANCHOR}", *split_statements(load_function("space_anchor")))),
            f"EXISTS (SELECT FROM pg_class WHERE oid = 'public.{ANCHOR}'::regclass AND relkind <> 'v')",
        ),
        *_distribute_tables(shards),
    ]
    keys = list(_list_foreign_keys(source_catalogue))
    steps += [
        Step(
            "keys",
            f"ALTER TABLE public.{key.table} ADD CONSTRAINT {key.name} {key.definition}",
            f"EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'public.{key.table}'::regclass"
            f" AND conname = '{key.name}')",
        )
        for key in keys
    ]
    steps += _create_functions(source_catalogue, keys)
    steps += _create_triggers(source_catalogue, keys)
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
    url: str, *, shards: int = 32, on_step: Callable[[int, Step], None] = lambda _number, _step: None
) -> list[Step]:
    """Take the steps on the coordinator at this superuser's URL, each by itself; returns those taken.

    One that a run before took is left out, so that a run that was ended anywhere is taken up by another.
    Nobody else may be at work on the database. Raises ConfigurationError where Citus is not there, the schema
    is not the newest, or all was done before; and with the number of the step that failed.
    """
    steps = list_steps(shards=shards)
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
        for number, step in enumerate(steps, 1):
            if _is_done(connection, step):
                continue
            on_step(number, step)
            try:
                connection.execute(step.sql.encode())
            except psycopg.DatabaseError as error:
                reason = str(error).splitlines()[0]
                raise ConfigurationError(
                    f"Step {number} of {len(steps)} ({step.phase}) failed, after those before it: {reason}"
                ) from error
            steps_taken.append(step)
    return steps_taken


def _is_done(connection: psycopg.Connection[tuple[object, ...]], step: Step) -> bool:
    """Return whether the step was taken before; one that leaves no trace never was."""
    if step.done_condition is None:
        return False
    return connection.execute(f"SELECT {step.done_condition}".encode()).fetchone() == (True,)


def _require_distributable(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    installed = connection.execute(f"SELECT {HAS_CITUS}".encode()).fetchone()
    if installed != (True,):
        raise ConfigurationError("Citus is not installed in that database: CREATE EXTENSION citus.")
    if connection.execute("SELECT to_regclass('public.alembic_version') IS NULL").fetchone() == (True,):
        raise ConfigurationError("That database has no tables yet: run `citegraph migrate` first.")
    revision = connection.execute("SELECT version_num FROM public.alembic_version").fetchone()
    if revision != (find_newest_revision(),):
        raise ConfigurationError("That database is not at the newest schema: run `citegraph migrate` first.")


def _list_aspects(catalogue: Catalogue, kind: str) -> Iterator[tuple[str, str, str]]:
    """(table, name, definition) of that kind of thing on distributed tables, by name."""
    for table in sorted(DISTRIBUTED):
        for aspect, value in catalogue.get(table, {}).items():
            if aspect.startswith(f"{kind} "):
                yield table, aspect.removeprefix(f"{kind} "), value


def _drop_triggers_and_keys(catalogue: Catalogue) -> Iterator[Step]:
    """Triggers and keys, which would run for each row that is copied, or hold the order of tables.

    Those of a distributed table are gone, or back as a cluster has them. A table that a migration has added
    since comes with its own.
    """
    for table, name, _ in _list_aspects(catalogue, "trigger"):
        yield Step(
            "take apart",
            f"DROP TRIGGER IF EXISTS {name} ON public.{table}",
            _build_distributed_condition(table),
        )
    for table, name, definition in _list_aspects(catalogue, "constraint"):
        if definition.startswith("FOREIGN KEY"):
            yield Step(
                "take apart",
                f"ALTER TABLE public.{table} DROP CONSTRAINT IF EXISTS {name}",
                _build_distributed_condition(table),
            )


def _replace_policies(catalogue: Catalogue) -> Iterator[Step]:
    """Policies that hold without being restrictive: on a shard Citus makes each of them a permissive one.

    Of permissive ones any lets a row pass. So the wall is for who serves and who owns, and who looks in by
    hand has the other alone: it holds them to the space of their login's name, whatever they set.
    """
    # The wall first: until then it lets those look in whom the other would keep to one space.
    for table, name, value in sorted(
        _list_aspects(catalogue, "policy"), key=lambda aspect: aspect[1] != "wall"
    ):
        if name == "wall":
            served = f"'{{{APP},{OWNER}}}'::regrole[]::oid[]"
            yield _policy_step(
                table, name, f"ALTER POLICY wall ON public.{table} TO {APP}, {OWNER}", f"polroles = {served}"
            )
            continue
        policy_match = _POLICY.fullmatch(value)
        if policy_match is None or policy_match["kind"] != "restrictive for r":
            raise LookupError(f"{table} has a policy {name} that no shard would keep: {value}")
        # Between the two nobody looks in: the wall is for others by now.
        policy_query = (
            f"SELECT FROM pg_policy WHERE polrelid = 'public.{table}'::regclass AND polname = '{name}'"
        )
        yield Step(
            "policies",
            f"DROP POLICY IF EXISTS {name} ON public.{table}",
            f"NOT EXISTS ({policy_query} AND NOT polpermissive)",
        )
        yield _policy_step(
            table,
            name,
            f"CREATE POLICY {name} ON public.{table} FOR SELECT TO {policy_match['role']}"
            f" USING ({policy_match['using']})",
            "polpermissive",
        )


def _policy_step(table: str, name: str, definition: str, condition: str) -> Step:
    policy_query = f"SELECT FROM pg_policy WHERE polrelid = 'public.{table}'::regclass AND polname = '{name}'"
    return Step("policies", definition, f"EXISTS ({policy_query} AND {condition})")


def _distribute_tables(shards: int) -> Iterator[Step]:
    first = f"'public.{FIRST_TABLE}', '{SPACE_ID}', shard_count => {shards}, colocate_with => 'none'"
    yield Step(
        "distribute", f"SELECT create_distributed_table({first})", _build_distributed_condition(FIRST_TABLE)
    )
    for table in sorted(SHARDED - {FIRST_TABLE}):
        beside = f"'public.{table}', '{SPACE_ID}', colocate_with => 'public.{FIRST_TABLE}'"
        yield Step(
            "distribute", f"SELECT create_distributed_table({beside})", _build_distributed_condition(table)
        )


def _list_foreign_keys(catalogue: Catalogue) -> Iterator[ForeignKey]:
    """The keys that stand again afterwards; those to spaces point at the anchor instead."""
    for table, name, definition in _list_aspects(catalogue, "constraint"):
        key = _KEY.fullmatch(definition)
        if key is None:
            continue
        if key["table"] in LOCAL:
            if key["table"] == "knowledge_space":
                root = f"FOREIGN KEY ({SPACE_ID}) REFERENCES public.{ANCHOR}({SPACE_ID}) ON DELETE CASCADE"
                yield ForeignKey(table, name, root)
        elif nulls := _NULLS.search(definition):
            without_nulls = _NULLS.sub("", definition)
            yield ForeignKey(table, name, without_nulls, nulled_column=nulls["column"], target=key["table"])
        else:
            yield ForeignKey(table, name, definition)
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
    """The text of `functions/<name>.sql`: made on a cluster alone, as migrations make others."""
    return files("app.db.scaling").joinpath("functions", f"{name}.sql").read_text("utf-8")


def build_replaced_functions(catalogue: Catalogue) -> dict[str, str]:
    """The function in the place of each that no worker could run, by its signature."""
    bodies = {signature: load_function(name) for signature, (name, _) in REPLACED_FUNCTIONS.items()}
    for signature, aspects in catalogue.items():
        definition = aspects.get("definition", "")
        if "INTO public.space_size" not in definition:
            continue
        parts = _SIZES.search(definition)
        if parts is None:
            raise LookupError(f"{signature} does not add to space_size as the others do.")
        bodies[signature] = _build_note_size(signature.removesuffix("()"), parts)
    return bodies


def _build_note_size(name: str, parts: re.Match[str]) -> str:
    columns = [column.strip() for column in parts["columns"].split(",")]
    values = re.split(r",(?![^(]*\))", " ".join(parts["values"].split()))
    named = ", ".join(f"{value.strip()} AS {column}" for value, column in zip(values, columns, strict=True))
    return _fill_template(
        load_function("note_size"),
        {
            "name": name,
            "values": named,
            "rows": parts["rows"],
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
            values = {
                "name": f"nullify_{key.table}_{key.nulled_column}",
                "table": key.table,
                "column": key.nulled_column,
            }
            yield Step("functions", _strip_comment(_fill_template(load_function("nullify"), values)))


def _create_triggers(catalogue: Catalogue, keys: list[ForeignKey]) -> Iterator[Step]:
    by_key = {
        name
        for table in Base.metadata.sorted_tables
        for constraint in table.constraints
        if isinstance(constraint, TriggerKey)
        for names in constraint.triggers.values()
        for name in names
    }
    for table, name, definition in _list_aspects(catalogue, "trigger"):
        # What they check a foreign key does on a cluster.
        if name not in by_key:
            yield _trigger_step(definition, table, name)
    for key in keys:
        if key.nulled_column:
            name = f"nullify_{key.table}_{key.nulled_column}"
            trigger = f"{NULLIFY_PREFIX}{key.table}_{key.nulled_column}"
            # After the row: before it a trigger may not change what the same statement deletes, and a
            # community goes with those within it. And before `RI_ConstraintTrigger…`, which checks the key.
            yield _trigger_step(
                f'CREATE TRIGGER "{trigger}" AFTER DELETE ON public.{key.target}'
                f" FOR EACH ROW EXECUTE FUNCTION public.{name}()",
                key.target,
                trigger,
            )
    for event in ("insert", "delete"):
        yield _trigger_step(
            f"CREATE TRIGGER keep_anchor_{event} AFTER {event.upper()} ON public.knowledge_space"
            " FOR EACH ROW EXECUTE FUNCTION public.keep_anchor()",
            "knowledge_space",
            f"keep_anchor_{event}",
        )


def _trigger_step(definition: str, table: str, name: str) -> Step:
    trigger_query = f"SELECT FROM pg_trigger WHERE tgrelid = 'public.{table}'::regclass AND tgname = '{name}'"
    return Step("triggers", definition, f"EXISTS ({trigger_query})")


def _build_distributed_condition(table: str) -> str:
    return f"EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'public.{table}'::regclass)"


def _strip_comment(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not line.startswith("--"))

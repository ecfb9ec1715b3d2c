"""The space cannot be forgotten (docs/isolation.md): who may hold a session, and who may end one."""

import ast
import re
from collections.abc import Iterator

import pytest

from app.db.sql import list_statement_files
from tests.architecture.tree import Source, calls, planted, program

SESSIONS = {"SpaceSession", "TenantSession", "PlatformSession", "OpenSession", "Database"}
DOOR = "app/db/database.py"
# How a session, a connection or a cursor is asked to send something. The attribute's name is enough, so that
# a statement named by a variable, a bound method that is handed on and a cursor of a cursor are seen too.
SENDS = {
    "exec_driver_sql",
    "execute",
    "executemany",
    "run_each",
    "scalar",
    "scalars",
    "send",
    "stream_scalars",
}
# The psycopg connection and the ORM session behind an open one; the rest of the ORM session is SQL.
REACHES = {"connection", "orm"}
IN_MEMORY = {"info", "platform"}
# `.run` is many things. These are no sessions; `self.run` is the run that an ingest is in, not called.
RUNNERS = {"anyio", "bulkheads.queries", "bulkheads.uploads", "manager", "server", "subprocess"}
RUNNERS |= {"bulkhead", "context", "question_bulkhead", "threads", "workers"}
# The double of a model server speaks HTTP.
HTTP = ("app/llm/testing/server.py",)
# `domain.query`, the name of a statement in a .sql file.
NAMED_SQL = re.compile(r"[a-z_]+(\.[a-z_]+)?\.[a-z_0-9]+")


def in_database_layer(source: Source) -> bool:
    return source.place.startswith(("app/db/", "app/runtime/"))


def public_functions(source: Source) -> Iterator[ast.FunctionDef]:
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def sql(source: Source) -> Iterator[tuple[int, str]]:
    """(line, expression) of everything by which the file could send a statement."""
    in_memory = {
        node.value for node in source.nodes if isinstance(node, ast.Attribute) and node.attr in IN_MEMORY
    }
    called = {node.func for node in source.nodes if isinstance(node, ast.Call)}
    for node in source.nodes:
        match node:
            case ast.Attribute(attr="run", value=owner):
                field = ast.unparse(owner) == "self" and node not in called
                if not field and ast.unparse(owner) not in RUNNERS:
                    yield node.lineno, ast.unparse(node)
            case ast.Attribute(attr=name) if name in SENDS or (name in REACHES and node not in in_memory):
                yield node.lineno, ast.unparse(node)
            case ast.Call(func=ast.Name("text" | "load_statement" | "load_numbered_statement" as name)):
                yield node.lineno, name
            case ast.Call(func=ast.Name("getattr" | "methodcaller" | "attrgetter"), args=arguments):
                words = {argument.value for argument in arguments if isinstance(argument, ast.Constant)}
                if words & {"run", *SENDS, *REACHES}:
                    yield node.lineno, ast.unparse(node)


def test_sql_runs_in_repositories_and_traversals_alone() -> None:
    """Who reviews isolation reads those files; SQL elsewhere would be reviewed by nobody."""
    wrong = [
        f"{source.place}:{line} has {name}"
        for source in program()
        if not source.is_storage and not in_database_layer(source) and source.place not in HTTP
        for line, name in sql(source)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "bad",
    [
        'space.run("graph.list_tags_of_node", {})',
        'space.send("graph.list_tags_of_node", {})()',
        'space.send("graph.list_tags_of_node", {}).result()',
        'space.run_each("graph.list_tags_of_node", {})',
        "space.run(NAME, {})",
        'space.run(f"graph.{name}", {})',
        'space.run("graph." + name, {})',
        'opened.space.run("graph.list_tags_of_node", {})',
        "run = space.run",
        "self.run(NAME)",
        "ask = partial(session.run, NAME)",
        "ask = SpaceSession.send",
        'getattr(space, "send")(NAME)',
        'methodcaller("run", NAME)(space)',
        "space.connection.execute(QUERY)",
        "with space.connection.cursor() as cursor: pass",
        "space.orm.scalars(query)",
        "space.orm.get(GraphNode, key)",
        "space.orm.refresh(node)",
        "orm = space.orm",
        'text("SELECT 1")',
        'load_statement("graph.list_tags_of_node")',
    ],
)
def test_the_guard_sees_a_statement_sent_elsewhere(bad: str) -> None:
    assert list(sql(planted(bad)))


@pytest.mark.parametrize(
    "good",
    [
        "self.run.space",
        "bulkhead.run_in_slot(work)",
        "space.orm.platform",
        "space.orm.info[KEY]",
        "repository.list_tags_of_node(space)",
    ],
)
def test_the_guard_lets_pass_what_sends_nothing(good: str) -> None:
    assert list(sql(planted(good))) == []


def test_every_statement_is_named_whole_where_it_is_sent() -> None:
    """A name put together of parts is found by no search, and a statement that nobody names is dead."""
    named = {
        node.value
        for source in program()
        if source.is_storage or in_database_layer(source)
        for node in source.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED_SQL.fullmatch(node.value)
    }
    assert set(list_statement_files()) - named == set()


def reaches_the_database(function: ast.FunctionDef) -> bool:
    """Whether the function is handed a session or an owner's id; a pure one is neither use nor danger."""
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    for argument in arguments:
        kind = ast.unparse(argument.annotation) if argument.annotation else "nothing"
        if kind in {*SESSIONS, "Session", "Connection", "Engine", "SpaceId", "TenantId", "nothing"}:
            return True
    return False


def test_services_and_repositories_take_a_session_first() -> None:
    """Wall 1: the open session is the proof of access, so there is no space id to forget or mistype."""
    wrong = []
    for source in program():
        if not (source.is_storage or source.path.stem == "service"):
            continue
        for function in public_functions(source):
            first = next(iter((*function.args.posonlyargs, *function.args.args)), None)
            kind = ast.unparse(first.annotation) if first is not None and first.annotation else "nothing"
            if kind not in SESSIONS and reaches_the_database(function):
                wrong.append(f"{source.place}:{function.lineno} {function.name} takes {kind} first")
    assert wrong == []


def test_nobody_commits_but_the_door() -> None:
    """One block is one transaction: a commit in its middle would end the settings that scope it (fact 3)."""
    wrong = [
        f"{source.place}:{line}"
        for source in program()
        for line, name, _ in calls(source)
        if name == ".commit" and source.place != DOOR
    ]
    assert wrong == []


def test_sessions_are_made_by_the_door_alone() -> None:
    """A session made elsewhere has no space, no filter and no guard."""
    made = SESSIONS - {"Database"} | {"Session", "sessionmaker", "scoped_session"}
    wrong = [
        f"{source.place}:{line} makes a {name.lstrip('.')}"
        for source in program()
        for line, name, _ in calls(source)
        if name.lstrip(".") in made and source.place != DOOR
    ]
    assert wrong == []


def test_nobody_goes_round_the_door_to_the_engine() -> None:
    """Fact 25: a raw connection has no scope; row security would answer with nothing, a bug with silence."""
    wrong = [
        f"{source.place}:{line} goes to the database by {name}"
        for source in program()
        for line, name, call in calls(source)
        if name in (".connect", ".begin", ".raw_connection")
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value).endswith(("engine", "psycopg"))
        and not in_database_layer(source)
    ]
    assert wrong == []


def test_psycopgs_own_connection_is_had_within_a_transaction_alone() -> None:
    """What begins a transaction sets role and time-outs (decision 30); outside of one nothing holds."""
    holders = {"app/db/session.py", "app/db/roles.py"}
    wrong = [
        f"{source.place}:{node.lineno}"
        for source in program()
        for node in source.nodes
        if isinstance(node, ast.Attribute)
        and node.attr == "driver_connection"
        and source.place not in holders
    ]
    assert wrong == []

"""The space cannot be forgotten (design section 2): who may hold a session, and who may end one."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.tree import Source, calls, program

SESSIONS = {"SpaceSession", "TenantSession", "PlatformSession", "OpenSession", "Database"}
DOOR = "app/db/session.py"
# `domain.query`, the name of a statement in a .sql file.
NAMED_SQL = re.compile(r"[a-z_]+\.[a-z_0-9]+")


def in_database_layer(source: Source) -> bool:
    return source.place.startswith(("app/db/", "app/runtime/"))


def public_functions(source: Source) -> Iterator[ast.FunctionDef]:
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def is_sql(name: str, call: ast.Call) -> bool:
    if name in (".execute", ".executemany", ".exec_driver_sql", "text"):
        return True
    first = call.args[0] if call.args else None
    return name == ".run" and isinstance(first, ast.Constant) and bool(NAMED_SQL.fullmatch(str(first.value)))


def test_sql_runs_in_repositories_and_traversals_alone() -> None:
    """Who reviews isolation reads those files; SQL elsewhere would be reviewed by nobody."""
    wrong = [
        f"{source.place}:{line} calls {name.lstrip('.')}"
        for source in program()
        for line, name, call in calls(source)
        if is_sql(name, call) and not source.is_storage and not in_database_layer(source)
    ]
    assert wrong == []


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
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "driver_connection"
        and source.place not in holders
    ]
    assert wrong == []

"""What every file owes its reader (CONTRIBUTING.md)."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.architecture.tree import Source, program, sources

# One class reads the environment; the embedded servers look for programs by PATH.
READS_ENVIRONMENT = ("app/__init__.py", "app/settings.py", "app/runtime/")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def nested_imports(source: Source) -> Iterator[int]:
    for function in source.nodes:
        if isinstance(function, FUNCTIONS):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield node.lineno


def handed_on(source: Source) -> list[ast.expr]:
    """What stands behind ** in a dictionary."""
    return [
        value
        for node in source.nodes
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if key is None
    ]


def test_groups_repeat_by_atomic_groups() -> None:
    """Python 3.11.0 to 3.11.4, which Debian 12 has, takes half a repetition of `(…)*+` for a whole one:
    `(?:ab?c)*+d` matches "acad". They read `(?>(?:…)*)` as later ones do.
    """
    repeated = re.compile(r"(?<!\\)\)[*+?]\+")
    class_of_characters = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
    wrong = [
        f"{source.place}:{node.lineno}"
        for source in program()
        for node in source.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        if repeated.search(class_of_characters.sub("x", _text_of(node.value)))
    ]
    assert wrong == []


def _text_of(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


def test_imports_stand_at_the_top() -> None:
    """An import in a function hides a dependency, and most often a circle. The composition root alone imports
    a part where it makes it.
    """
    wrong = [
        f"{source.place}:{line}"
        for source in (*program(), *sources("clients"))
        if source.module != "app.wiring"
        for line in nested_imports(source)
    ]
    assert wrong == []


def test_every_module_says_what_it_is_for() -> None:
    """The first line is read more often than all the others. Empty packages need none."""
    every = (*program(), *sources("tests", "benchmarks", "alembic", "clients"))
    silent = [source.place for source in every if source.text.strip() and not ast.get_docstring(source.tree)]
    assert silent == []


def test_the_environment_is_read_in_one_place() -> None:
    """A setting that is read elsewhere is documented nowhere. Handing all of it to a child is no reading."""
    wrong = [
        f"{source.place}:{node.lineno}"
        for source in program()
        for node in source.nodes
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv", "putenv", "environb")
        and node not in handed_on(source)
        and not source.place.startswith(READS_ENVIRONMENT)
    ]
    assert wrong == []


def test_functions_have_one_colour() -> None:
    """Services and repositories are plain def (docs/architecture.md): two colours mean everything twice."""
    wrong = [
        f"{source.place}:{node.lineno}"
        for source in program()
        if source.domain not in ("http", "api", "mcp", "dashboard", "main", "cli")
        for node in source.nodes
        if isinstance(node, ast.AsyncFunctionDef)
    ]
    assert wrong == []


def test_no_two_files_of_tests_have_one_name() -> None:
    """Pytest knows a file outside a package by its name alone, and would collect neither of two."""
    count = Counter(source.path.name for source in sources("tests") if source.path.name.startswith("test_"))
    assert [name for name, times in count.items() if times > 1] == []

"""Every test can fail: it asserts, expects an error, or calls a helper that does."""

import ast
from collections.abc import Iterator, Sequence

import pytest

from tests.architecture.tree import Source, planted, sources

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Of pytest, numpy and hypothesis: each fails the test that calls it, or hands over to what does.
FAILING = {"assert_allclose", "fail", "raises", "run_state_machine_as_test", "warns"}


def asserts_and_calls(function: Function) -> tuple[bool, set[str]]:
    """Whether the function can fail by itself; the names of what it calls: `check` for check(...) and for
    anything.check(...).
    """
    names = set()
    has_assert = False
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            has_assert = True
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                names.add(node.func.id)
            elif isinstance(node.func, ast.Attribute):
                names.add(node.func.attr)
    return has_assert or bool(names & FAILING), names


def functions(files: Sequence[Source]) -> Iterator[tuple[Source, Function]]:
    for source in files:
        for node in source.nodes:
            if isinstance(node, FUNCTIONS):
                yield source, node


def silent_tests(files: Sequence[Source]) -> list[str]:
    """The tests among these files that nothing can fail but an error."""
    every = [(source, function, *asserts_and_calls(function)) for source, function in functions(files)]
    helpers = [
        (function.name, sure, calls)
        for _, function, sure, calls in every
        if not function.name.startswith("test_")
    ]
    # By name alone: a helper counts where every function of its name asserts, so none lends its name.
    failing: set[str] = set()
    while True:
        known = {name for name, sure, calls in helpers if sure or calls & failing}
        known -= {name for name, sure, calls in helpers if not sure and not calls & failing}
        if known == failing:
            break
        failing = known
    return [
        f"{source.place}:{test.lineno} {test.name}"
        for source, test, sure, calls in every
        if test.name.startswith("test_") and not sure and not calls & failing
    ]


def test_every_test_can_fail() -> None:
    assert silent_tests(sources("tests")) == []


@pytest.mark.parametrize(
    "body",
    [
        "assert_nothing = 1",
        "check = compute()",
        "run_ingest()",
        "'assert this'",
        "expected = 2",
        "compute().checked()",
    ],
)
def test_the_guard_sees_a_test_that_only_sounds_like_one(body: str) -> None:
    helpers = "def compute(): pass\ndef run_ingest(): pass\ndef checked(self): pass\n"
    assert silent_tests([planted(f"{helpers}def test_it():\n    {body}\n", "tests/test_it.py")])


@pytest.mark.parametrize(
    "body",
    ["assert True", "with pytest.raises(ValueError): compute()", "verify()", "world.verify_all()"],
)
def test_the_guard_sees_an_assertion_in_a_helper(body: str) -> None:
    helpers = "def verify():\n    assert True\ndef verify_all(self):\n    verify()\n"
    assert silent_tests([planted(f"{helpers}def test_it():\n    {body}\n", "tests/test_it.py")]) == []

"""How much one function may decide and be handed: what is more belongs in a table, a value or a second
function.
"""

import ast
from collections.abc import Iterator

from tests.architecture.tree import Source, program

MOST_PATHS, MOST_ARGUMENTS = 20, 7
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Doors whose arguments are the options of a command or the parameters of a request, one name each.
DOORS = ("app/cli/", "app/api/")
# Functions that take more, by their place and name, each with why. A new one needs a reason that stands up.
_BOUNDS = "the bounds of one question, each with a default of its own that the caller may leave out"
_STATEMENT = "the parameters of one statement, by their names in it"
WIDE = {
    "app/answers/golden/promotion.py:promote_trial": "a trial, who promotes it, and two choices",
    "app/extraction/edge_weights.py:compute_key_of_extracted_edge": (
        "all that goes into the hash, by name: none is left out"
    ),
    "app/graph/explanation_builder.py:build_explanation": (
        "the parts of an explanation, found by different statements"
    ),
    "app/graph/service.py:explain_and_record_recall": _BOUNDS,
    "app/graph/service.py:start_explanation": _BOUNDS,
    "app/graph/traversal.py:fetch_neighborhood": _STATEMENT,
    "app/jobs/repository.py:end_lease_and_set_state": "the columns that the end of a job writes, by name",
    "app/llm/client.py:__init__": "the server, the limits, and what tests put in their place",
    "app/llm/client.py:request_reply": "one request and what it is held to",
    "app/llm/testing/double.py:__init__": "each fault that the double can play",
    "app/retrieval/repository.py:fetch_subgraph": _STATEMENT,
}


def functions(source: Source) -> Iterator[Function]:
    yield from (node for node in source.nodes if isinstance(node, FUNCTIONS))


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes defined in it."""
    open_nodes: list[ast.AST] = [function]
    while open_nodes:
        for node in ast.iter_child_nodes(open_nodes.pop()):
            if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node
                open_nodes.append(node)


def paths(function: Function) -> int:
    """The cyclomatic complexity: one, and one more for each branch, loop, handler, `and`, `or` and
    comprehension.
    """
    count = 1
    for node in own_nodes(function):
        if isinstance(node, ast.If | ast.IfExp | ast.For | ast.While | ast.ExceptHandler | ast.match_case):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
    return count


def arguments(function: Function) -> int:
    """How many values a caller may hand it; `self` and `cls` are not handed."""
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def test_no_function_decides_more_than_twenty_things() -> None:
    """Stricter than ruff's C901, which counts neither `and` nor `or` nor a comprehension's `if`."""
    wrong = [
        f"{source.place}:{function.lineno} {function.name}: {paths(function)}"
        for source in program()
        for function in functions(source)
        if paths(function) > MOST_PATHS
    ]
    assert wrong == []


def test_no_function_is_handed_more_than_seven_values_without_a_reason() -> None:
    """Whoever calls it must read all of them: most often some belong together and want a name."""
    wrong = [
        f"{source.place}:{function.lineno} {function.name}: {arguments(function)}"
        for source in program()
        for function in functions(source)
        if arguments(function) > MOST_ARGUMENTS
        and not source.place.startswith(DOORS)
        and f"{source.place}:{function.name}" not in WIDE
    ]
    assert wrong == []


def test_the_list_of_wide_functions_holds_no_more_than_there_are() -> None:
    wide = {
        f"{source.place}:{function.name}"
        for source in program()
        for function in functions(source)
        if arguments(function) > MOST_ARGUMENTS
    }
    assert set(WIDE) - wide == set()

"""The client says what the OpenAPI document says: written anew it is the same, and nothing is missing."""

import inspect
from typing import Any

import pytest
from citegraph_client import AsyncCitegraph, AsyncSpace, Citegraph, Space

from clients.python.generator.__main__ import GENERATED, describe, written
from clients.python.generator.document import BY_HAND, READING, SPACE


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe()


def test_what_is_generated_is_what_the_document_says(document: dict[str, Any]) -> None:
    behind = [
        name for name, text in written(document).items() if (GENERATED / name).read_text("utf-8") != text
    ]
    assert behind == [], "run `make client` and commit what it writes"


def test_nothing_else_stands_among_it(document: dict[str, Any]) -> None:
    names = {path.relative_to(GENERATED).as_posix() for path in GENERATED.rglob("*.py")}
    assert {name for name in names if not name.endswith("__init__.py")} == set(written(document))


def test_every_operation_is_a_method_in_both_colours(document: dict[str, Any]) -> None:
    missing = []
    for path, methods in document["paths"].items():
        for operation in methods.values():
            holders = (Space, AsyncSpace) if path.startswith(SPACE) else (Citegraph, AsyncCitegraph)
            missing += [
                f"{holder.__name__}.{operation['operationId']}"
                for holder in holders
                if not inspect.isfunction(getattr(holder, operation["operationId"], None))
            ]
    assert missing == []


def test_names_chosen_by_hand_are_operations(document: dict[str, Any]) -> None:
    names = {
        operation["operationId"]: method
        for methods in document["paths"].values()
        for method, operation in methods.items()
    }
    assert names.keys() >= BY_HAND | READING
    assert {names[operation_id] for operation_id in READING} == {"post"}


def test_the_synchronous_client_waits_for_nothing() -> None:
    left = [
        path.name
        for path in (GENERATED / "synchronous").glob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if "await " in line or "async def" in line or "asyncio" in line or "Async" in line
    ]
    assert left == []


def test_both_colours_take_the_same_arguments() -> None:
    for one, other in ((Space, AsyncSpace), (Citegraph, AsyncCitegraph)):
        for name, method in inspect.getmembers(one, inspect.isfunction):
            if not name.startswith("_"):
                twin = inspect.signature(getattr(other, name))
                assert list(inspect.signature(method).parameters) == list(twin.parameters), name

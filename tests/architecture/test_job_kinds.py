"""Each kind of job has a handler in the one table of kinds, and each handler stands in a `job.py`."""

from functools import partial
from inspect import getmembers, getmodule, isclass, isfunction
from typing import Any, cast

from app.jobs import kinds
from app.wiring import Citegraph
from workers.handlers import build_handlers_by_kind


class _Anything:
    """Stands for the parts of a process, which the table only hands on."""

    def __getattr__(self, name: str) -> Any:
        return name


TABLE = build_handlers_by_kind(cast(Citegraph, _Anything()))


def test_every_kind_is_handled() -> None:
    """A kind that nobody handles would wait in the queue for ever."""
    classes: list[Any] = [
        kind_class for _, kind_class in getmembers(kinds, isclass) if kind_class is not kinds.JobKind
    ]
    declared = {class_.kind for class_ in classes if "kind" in vars(class_)}
    assert declared
    assert set(TABLE) == declared


def test_every_handler_is_in_the_job_of_its_domain() -> None:
    """Who looks for the work of a domain finds it under the same name everywhere."""
    functions = [handler.func if isinstance(handler, partial) else handler for handler in TABLE.values()]
    assert all(isfunction(function) for function in functions)
    modules = {getmodule(function).__name__ for function in functions}  # type: ignore[union-attr]
    assert (
        sorted(module for module in modules if not module.endswith(".job") and module != "workers.handlers")
        == []
    )

"""Each kind of job has a handler in the one table of kinds, and each handler stands in a `job.py`."""

from functools import partial
from inspect import getmembers, getmodule, isclass, isfunction
from typing import Any, cast

from app.jobs import kinds
from app.wiring import Citegraph
from workers.kinds import handlers_by_kind


class _Anything:
    """Stands for the parts of a process, which the table only hands on."""

    def __getattr__(self, name: str) -> Any:
        return name


TABLE = handlers_by_kind(cast(Citegraph, _Anything()))


def test_every_kind_is_handled() -> None:
    """A kind that nobody handles would wait in the queue for ever."""
    classes: list[Any] = [each for _, each in getmembers(kinds, isclass) if each is not kinds.JobKind]
    declared = {each.kind for each in classes if "kind" in vars(each)}
    assert declared
    assert set(TABLE) == declared


def test_every_handler_is_in_the_job_of_its_domain() -> None:
    """Who looks for the work of a domain finds it under the same name everywhere."""
    functions = [each.func if isinstance(each, partial) else each for each in TABLE.values()]
    assert all(isfunction(each) for each in functions)
    modules = {getmodule(each).__name__ for each in functions}  # type: ignore[union-attr]
    assert sorted(each for each in modules if not each.endswith(".job") and each != "workers.kinds") == []

"""Modules that are imported when they are needed: a command that lists spaces waits for no model's client."""

import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def import_without_garbage_collection() -> Iterator[None]:
    """Import within it without the garbage collector, which would take a quarter of the time for nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def imported(reference: str) -> Any:
    """Return the object at `module:name`, or the module; it is imported now if it was not."""
    module, _, name = reference.partition(":")
    with import_without_garbage_collection():
        loaded_module = importlib.import_module(module)
    return getattr(loaded_module, name) if name else loaded_module


class LazyModule(ModuleType):
    """Stands for a module that is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__name__), name)

"""Modules that are imported on first use, so that a command which lists spaces need not import a model's
client.
"""

import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def import_without_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector in the block: during imports it frees nothing, and takes a quarter of the
    time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def import_object(reference: str) -> Any:
    """Return the object at `module:name`, or the module, and import it if necessary."""
    module, _, name = reference.partition(":")
    with import_without_garbage_collection():
        loaded_module = importlib.import_module(module)
    return getattr(loaded_module, name) if name else loaded_module


class LazyModule(ModuleType):
    """A stand-in for a module that is imported when one of its attributes is first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__name__), name)

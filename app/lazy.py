"""Modules that are imported when they are needed: a command that lists spaces waits for no model's client."""

import gc
import importlib
from types import ModuleType
from typing import Any


def imported(place: str) -> Any:
    """Return the object at `module:name`, or the module; it is imported now if it was not.

    Nothing of what importing makes is garbage: looking for some would take a quarter of the time.
    """
    module, _, name = place.partition(":")
    collecting = gc.isenabled()
    gc.disable()
    try:
        found = importlib.import_module(module)
        return getattr(found, name) if name else found
    finally:
        if collecting:
            gc.enable()


class LazyModule(ModuleType):
    """Stands for a module that is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__name__), name)

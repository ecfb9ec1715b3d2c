"""The openai package, imported by whoever first makes a client: half a second of processor and 500 modules.

Most processes have no model, and many tests and commands have none.
"""

import importlib
from typing import Any


def openai_package() -> Any:
    """The module `openai`."""
    return importlib.import_module("openai")

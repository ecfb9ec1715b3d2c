"""Runs a module as a process that looks for garbage seldom: `python -m tests.support.start MODULE ARGUMENTS`.

Nothing of what a worker imports is garbage. Looking for some takes a sixth of its start and as much of its
end, and tests start many. The template of its sandbox, which costs as much again, may be that of the tests.
"""

import atexit
import gc
import os
import runpy
import sys
from collections.abc import Sequence

# In the environment: the address of the template of whoever started this process, who ends it.
TEMPLATE = "TESTS_TEMPLATE"


def borrow_template(address: str) -> None:
    """Have this process, and those it forks, take the children of their sandboxes from the template there."""
    from app.sandbox import process_sandbox

    class Borrowed(process_sandbox.ForkServer):
        """A template of another process, which outlives this one."""

        def __init__(self, modules: Sequence[str]) -> None:
            self.address = address

        def is_alive(self) -> bool:
            return True

        def close(self) -> None:
            """It is not ours to end."""

    process_sandbox.ForkServer = Borrowed  # type: ignore[misc]


if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
    if os.environ.get(TEMPLATE):
        borrow_template(os.environ[TEMPLATE])
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)

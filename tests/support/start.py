"""Runs a module as a process that looks for garbage seldom: `python -m tests.support.start MODULE ARGUMENTS`.

Nothing of what a worker imports is garbage. Looking for some takes a sixth of its start and as much of its
end, and tests start many. Its sandbox's fork server, which costs as much again, may be that of the tests.
"""

import atexit
import gc
import os
import runpy
import sys
from collections.abc import Sequence

# In the environment: the address of the fork server of whoever started this process, who ends it.
FORK_SERVER = "TESTS_FORK_SERVER"


def borrow_fork_server(address: str) -> None:
    """Have this process, and those it forks, take the children of their sandboxes from that server."""
    from app.sandbox import process_sandbox

    class Borrowed(process_sandbox.ForkServer):
        """A fork server of another process, which outlives this one."""

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
    if os.environ.get(FORK_SERVER):
        borrow_fork_server(os.environ[FORK_SERVER])
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)

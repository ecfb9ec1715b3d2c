"""Runs a module as a process that looks for garbage seldom: `python -m tests.support.start MODULE ARGUMENTS`.

Nothing of what a worker imports is garbage. Looking for some takes a sixth of its start and as much of its
end, and tests start many.
"""

import atexit
import gc
import runpy
import sys

if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)

"""The worker as it is shipped, which notes every step that it reaches and waits at the gates that are shut.

STEPS_FOLDER holds `steps`, a line "pid step" for each, and the gates: whoever reaches a step takes a file
`shut-<step>-…` for itself by renaming it to `held-<step>-<pid>`, and waits there until that is removed.
"""

import os
import time
from pathlib import Path

from app.settings import Settings
from tests.workers.faulty_worker import assemble
from workers.main import run_workers

# Seconds after which a forgotten gate opens by itself.
LONGEST = 60.0


def checkpoint(step: str) -> None:
    """Note the step; wait where a gate is shut."""
    folder = Path(os.environ["STEPS_FOLDER"])
    with (folder / "steps").open("a") as log:
        log.write(f"{os.getpid()} {step}\n")
    for gate in sorted(folder.glob(f"shut-{step}-*")):
        held = folder / f"held-{step}-{os.getpid()}"
        try:
            gate.rename(held)
        except FileNotFoundError:
            continue
        deadline = time.monotonic() + LONGEST
        while held.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return


if __name__ == "__main__":
    run_workers(Settings(), assemble=assemble, checkpoint=checkpoint)

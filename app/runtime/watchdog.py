"""Stops an embedded server whose users were all killed: `python -m app.runtime.watchdog FOLDER PID LINGER`.

A user who ends in good order stops the server itself. One that is killed cannot, and a demo's
database must not run on for weeks. The next start within `LINGER` seconds adopts the server.
"""

import sys
import time
from pathlib import Path

from app.errors import ConfigurationError
from app.runtime.folder_users import FolderUsers
from app.runtime.process import get_command_line, is_process_alive, stop_process


def watch_server(folder: Path, pid: int, linger: float) -> None:
    """Comes back when the server has ended, by itself or because nobody had used it for `linger` s."""
    program = get_command_line(pid)
    lease = FolderUsers(folder, create=False)
    unused_since: float | None = None
    while is_process_alive(pid) and get_command_line(pid) == program:
        try:
            with lease.lock():
                if not lease.has_no_users():
                    unused_since = None
                elif unused_since is None:
                    unused_since = time.monotonic()
                elif time.monotonic() - unused_since >= linger and get_command_line(pid) == program:
                    stop_process(pid)
                    return
        except ConfigurationError:
            if not (
                folder / "lock"
            ).exists():  # Somebody deleted the folder: nobody can use the server again.
                stop_process(pid)
                return
        time.sleep(min(1.0, linger / 4 + 0.05))


if __name__ == "__main__":
    watch_server(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))

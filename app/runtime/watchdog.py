"""Stop an embedded server whose users were all killed: `python -m app.runtime.watchdog FOLDER PID LINGER`.

The last user stops the server, but a killed one cannot, and the database of a demo must not run for weeks. A
start within `LINGER` seconds adopts the server.
"""

import sys
import time
from pathlib import Path

from app.errors import ConfigurationError
from app.runtime.folder_users import FolderUsers
from app.runtime.process import get_command_line, is_process_alive, stop_process_and_check_ended


def stop_server_when_unused(folder: Path, pid: int, idle_seconds: float) -> None:
    """Return when the server has ended, by itself or because nobody used it for `idle_seconds` seconds."""
    command_line = get_command_line(pid)
    folder_users = FolderUsers(folder, create=False)
    unused_since: float | None = None
    while is_process_alive(pid) and get_command_line(pid) == command_line:
        try:
            with folder_users.lock():
                if not folder_users.has_no_users():
                    unused_since = None
                elif unused_since is None:
                    unused_since = time.monotonic()
                elif (
                    time.monotonic() - unused_since >= idle_seconds and get_command_line(pid) == command_line
                ):
                    stop_process_and_check_ended(pid)
                    return
        except ConfigurationError:
            if not (
                folder / "lock"
            ).exists():  # Somebody deleted the folder: nobody can use the server again.
                stop_process_and_check_ended(pid)
                return
        time.sleep(min(1.0, idle_seconds / 4 + 0.05))


if __name__ == "__main__":
    stop_server_when_unused(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))

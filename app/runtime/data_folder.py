"""The folder of the embedded servers' data and of local keys, the same one from whatever directory."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from app.errors import ConfigurationError

LOCAL = ".citegraph"
"""The folder that a checkout or a directory of one's own may hold."""


def find_data_folder(configured: Path | None) -> Path:
    """The chosen folder; else `.citegraph` in this directory or the nearest above it, else the user's own.

    One that stands in a directory counts only where it belongs to whoever runs this: nobody else may lay one
    into a directory that all share. Raises ConfigurationError where the user has no home.
    """
    if configured is not None:
        return configured.expanduser().absolute()
    working_directory = Path.cwd()
    for directory in (working_directory, *working_directory.parents):
        if _is_ours(directory / LOCAL):
            return directory / LOCAL
    user_data = get_user_folder()
    if user_data.is_symlink() and not user_data.exists():
        # The directory that it was linked to has gone, with its data.
        user_data.unlink(missing_ok=True)
    return user_data.resolve()


def get_user_folder() -> Path:
    """The user's own folder, by the custom of the platform; it may be a link to one in a directory."""
    if (shared := os.environ.get("XDG_DATA_HOME", "")) and Path(shared).is_absolute():
        return Path(shared) / "citegraph"
    if os.geteuid() == 0:
        # Postgres does not run as root, and the user that it runs as cannot reach a home of root's.
        return Path("/var/lib/citegraph")
    try:
        home = Path.home()
    except RuntimeError as error:
        raise ConfigurationError(
            "This user has no home directory: set CITEGRAPH_HOME to a folder for the data."
        ) from error
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Citegraph"
    return home / ".local" / "share" / "citegraph"


def remember_data_folder(folder: Path, configured: Path | None) -> None:
    """Have a folder that was found in a directory found from everywhere, where the user has none yet.

    Whoever began with `.citegraph` in a checkout goes on with it. What cannot be linked stays as it was.
    """
    user_data = get_user_folder()
    if configured is not None or folder.resolve() == user_data.resolve():
        return
    with contextlib.suppress(OSError):
        user_data.parent.mkdir(parents=True, exist_ok=True)
        user_data.symlink_to(folder.absolute(), target_is_directory=True)


@contextlib.contextmanager
def lock_data_folder(folder: Path) -> Iterator[None]:
    """Nobody else has this folder's services up meanwhile. Raises ConfigurationError where somebody has.

    The lock is the kernel's: it ends with the process, however that ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "up.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise ConfigurationError(
                f"`citegraph up` runs on the data in {folder} already (process {lock.read().strip()}). Use"
                " that one, stop it, or choose another folder by CITEGRAPH_HOME."
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def _is_ours(folder: Path) -> bool:
    try:
        return folder.is_dir() and folder.stat().st_uid == os.geteuid() and (folder / "postgres").is_dir()
    except OSError:
        return False

"""Find the folder of the embedded servers' data and of local keys, the same from any working directory."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from app.errors import ConfigurationError

LOCAL_FOLDER_NAME = ".citegraph"
"""Name of a data folder in a checkout or in a directory of the user."""


def find_data_folder(configured_folder: Path | None) -> Path:
    """Return the configured folder; else the nearest `.citegraph` in this directory or above it; else the
    user's folder.

    A `.citegraph` counts only if it belongs to the current user: in a shared directory, another user may have
    made it. A user's folder that links to a directory that has gone is removed. Raises ConfigurationError if
    the user has no home.
    """
    if configured_folder is not None:
        return configured_folder.expanduser().absolute()
    working_directory = Path.cwd()
    for directory in (working_directory, *working_directory.parents):
        if _is_own_data_folder(directory / LOCAL_FOLDER_NAME):
            return directory / LOCAL_FOLDER_NAME
    user_data = get_user_folder()
    if user_data.is_symlink() and not user_data.exists():
        # The directory that it was linked to has gone, with its data.
        user_data.unlink(missing_ok=True)
    return user_data.resolve()


def get_user_folder() -> Path:
    """Return the user's data folder, by the platform's convention. It may be a link to another folder."""
    if (data_home := os.environ.get("XDG_DATA_HOME", "")) and Path(data_home).is_absolute():
        return Path(data_home) / "citegraph"
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


def link_user_folder_to_data_folder(folder: Path, configured_folder: Path | None) -> None:
    """Link the user's folder to a `.citegraph` that was found, unless the user has a folder, so that it is
    found from any directory. Nothing happens if it cannot be linked.
    """
    user_data = get_user_folder()
    if configured_folder is not None or folder.resolve() == user_data.resolve():
        return
    with contextlib.suppress(OSError):
        user_data.parent.mkdir(parents=True, exist_ok=True)
        user_data.symlink_to(folder.absolute(), target_is_directory=True)


@contextlib.contextmanager
def lock_data_folder(folder: Path) -> Iterator[None]:
    """Lock the folder's services while the block runs. Raises ConfigurationError if another process has the
    lock.

    It is a lock of the kernel, so it ends with the process.
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


def _is_own_data_folder(folder: Path) -> bool:
    try:
        return folder.is_dir() and folder.stat().st_uid == os.geteuid() and (folder / "postgres").is_dir()
    except OSError:
        return False

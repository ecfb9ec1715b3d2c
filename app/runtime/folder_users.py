"""Users of a server folder, counted by file locks of the kernel, which a killed process cannot leave behind.

There are two files. `lock` is locked exclusively while a process starts or stops the server. Every user has a
shared lock on `users`. A user that releases its lock and can then lock the file exclusively was the last, and
stops the server. No process ids are stored, so none can be stale or reused.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import ConfigurationError
from app.runtime.process import POLL_SECONDS

# Longer than the slowest start or stop that another process may be in the middle of.
_LOCK_TIMEOUT_SECONDS = 120.0


class FolderUsers:
    """The share of one user in the server of a folder. Users of one process are counted separately."""

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        """If `create` is false, a deleted folder and its lock files are not created again."""
        self._folder = folder
        self._create_flag = os.O_CREAT if create else 0
        self._users_descriptor: int | None = None

    @property
    def is_registered(self) -> bool:
        """Return whether this object is counted as a user."""
        return self._users_descriptor is not None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Admit one process or thread at a time. Raises ConfigurationError if the folder cannot be locked in
        time.
        """
        descriptor = self._open_lock_file("lock")
        try:
            deadline = time.monotonic() + _LOCK_TIMEOUT_SECONDS
            while not _try_exclusive_lock(descriptor):
                if time.monotonic() >= deadline:
                    raise ConfigurationError(
                        f"Another process has been starting or stopping the server in {self._folder} "
                        f"for more than {_LOCK_TIMEOUT_SECONDS:.0f} seconds."
                    )
                time.sleep(POLL_SECONDS)
            yield
        finally:
            os.close(descriptor)

    def register(self) -> None:
        """Count this object as a user, once. Call it inside `lock`."""
        if self._users_descriptor is None:
            descriptor = self._open_lock_file("users")
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            self._users_descriptor = descriptor

    def unregister_and_check_unused(self) -> bool:
        """Stop counting this object; return whether no other user is left. Call it inside `lock`."""
        if self._users_descriptor is not None:
            # A forked child shares the lock with its parent: unlock, closing alone would not do.
            fcntl.flock(self._users_descriptor, fcntl.LOCK_UN)
            os.close(self._users_descriptor)
            self._users_descriptor = None
        return self.has_no_users()

    def has_no_users(self) -> bool:
        """Return whether nobody uses the server. Call it inside `lock`."""
        descriptor = self._open_lock_file("users")
        try:
            return _try_exclusive_lock(descriptor)
        finally:
            os.close(descriptor)

    def _open_lock_file(self, name: str) -> int:
        try:
            # A lock needs no right to write: a file that another user created is good enough.
            return os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC | self._create_flag, 0o644)
        except OSError as error:
            raise ConfigurationError(
                f"The server folder {self._folder} cannot be used: {error.strerror}."
            ) from error


def _try_exclusive_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ConfigurationError(f"The file system cannot lock files: {error.strerror}.") from error
    return True

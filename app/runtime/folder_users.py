"""Who uses a server folder: the kernel's file locks, which a killed process cannot leave behind.

Two files. `lock` is held exclusively while somebody starts or stops the server. `users` is held
shared by everybody who uses the server: whoever lets go of it and can then lock it exclusively was
the last, and stops the server. Both rules need no process ids, so no id can be stale or reused.
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
_PATIENCE_SECONDS = 120.0


class FolderUsers:
    """One user's share in the server of a folder; several in one process count separately."""

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        """With `create` false a deleted folder stays deleted: its lock files are not made anew."""
        self._folder = folder
        self._create = os.O_CREAT if create else 0
        self._share: int | None = None

    @property
    def is_registered(self) -> bool:
        """True where this object has a share."""
        return self._share is not None

    @contextmanager
    def lock(self, *, patience: float = _PATIENCE_SECONDS) -> Iterator[None]:
        """Only one process or thread at a time is inside.

        Raises ConfigurationError when the folder cannot be locked, or not in time.
        """
        descriptor = self._open_lock_file("lock")
        try:
            deadline = time.monotonic() + patience
            while not _try_exclusive_lock(descriptor):
                if time.monotonic() >= deadline:
                    raise ConfigurationError(
                        f"Another process has been starting or stopping the server in {self._folder} "
                        f"for more than {patience:.0f} seconds."
                    )
                time.sleep(POLL_SECONDS)
            yield
        finally:
            os.close(descriptor)

    def register(self) -> None:
        """Count this object as a user; call it inside `lock`. Taking twice changes nothing."""
        if self._share is None:
            descriptor = self._open_lock_file("users")
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            self._share = descriptor

    def unregister(self) -> bool:
        """Count this object no longer; True when no other user is left. Call it inside `lock`."""
        if self._share is not None:
            # A forked child shares the lock with its parent: unlock, closing alone would not do.
            fcntl.flock(self._share, fcntl.LOCK_UN)
            os.close(self._share)
            self._share = None
        return self.has_no_users()

    def has_no_users(self) -> bool:
        """True when nobody uses the server. Call it inside `lock`."""
        descriptor = self._open_lock_file("users")
        try:
            return _try_exclusive_lock(descriptor)
        finally:
            os.close(descriptor)

    def _open_lock_file(self, name: str) -> int:
        try:
            # A lock needs no right to write: a file that another user created is good enough.
            return os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC | self._create, 0o644)
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

"""The directory of a server's files, at a path that the server's user can reach.

Postgres refuses to run as root. The user that it runs as instead can read neither a project below a home
directory of mode 0700 nor the Python packages there. The length of a socket path is limited to 103 bytes
(macOS) or 107 (Linux). The decision is recorded in the folder, since every process must come to the same one,
whatever its TMPDIR is.
"""

import json
import os
import pwd
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import ConfigurationError
from app.runtime.process import SystemUser, run_as_account

_SOCKET_PATH_LIMIT = 103
_RECORD_NAME = "place.json"


@dataclass(frozen=True)
class Layout:
    """The home of one server: its files, the folder of its socket, and the user it runs as."""

    home: Path
    socket_folder: Path
    account: SystemUser


def make_folder_if_missing(folder: Path) -> None:
    """Create the folder if it does not exist. Raises ConfigurationError if it cannot be created or written
    to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The server folder {folder} cannot be made: {error.strerror}. "
            "Choose another folder or change its rights."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"The server folder {folder} cannot be written to by this user. "
            "Choose another folder or change its rights."
        )


def get_or_create_layout(folder: Path, *, socket_name: str, may_be_root: bool) -> Layout:
    """Return the recorded layout of the server in `folder` if it is still valid, else a new one.

    Call it with the folder's lock. Raises ConfigurationError if no layout is possible.
    """
    recorded_layout = read_layout(folder)
    home = recorded_layout.home if recorded_layout else None
    if home is None:
        home = _make_home(folder, may_be_root=may_be_root)
    account = get_folder_owner(home)
    socket_folder = (
        recorded_layout.socket_folder
        if recorded_layout and _is_private(recorded_layout.socket_folder, account)
        else None
    )
    if socket_folder is None:
        socket_folder = home / "sockets"
        if len(os.fsencode(socket_folder / socket_name)) <= _SOCKET_PATH_LIMIT:
            _make_private_folder(socket_folder, account)
        else:
            socket_folder = _make_private_temporary_folder(
                account, max_length=_SOCKET_PATH_LIMIT - len(os.fsencode(socket_name)) - 1
            )
    layout = Layout(home, socket_folder, account)
    if layout != recorded_layout:
        _write_layout_record(folder, layout)
    return layout


def read_layout(folder: Path) -> Layout | None:
    """Return the layout recorded in `folder`; None if there is none, or if the folder is a copy."""
    try:
        record = json.loads((folder / _RECORD_NAME).read_text())
        home, socket_folder = Path(record["home"]), Path(record["sockets"])
        if Path(record["folder"]) != folder or not home.is_dir():
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Layout(home, socket_folder, get_folder_owner(home))


def remove_socket_folder(layout: Layout) -> None:
    """Delete the socket's folder if it is outside the home. The next start creates a new one."""
    if not layout.socket_folder.is_relative_to(layout.home):
        shutil.rmtree(layout.socket_folder, ignore_errors=True)


def get_folder_owner(home: Path) -> SystemUser:
    """Return the owner of `home`, the user that its server runs as.

    Raises ConfigurationError if it is another user and the current one is not root.
    """
    owner_uid = home.stat().st_uid
    if os.geteuid() not in (0, owner_uid):
        raise ConfigurationError(
            f"The server folder {home} belongs to another system user. "
            "Run as that user, or choose another folder."
        )
    return _get_account(owner_uid, home.stat().st_gid)


def ensure_runnable_programs(
    layout: Layout, source: Path, *, subfolders: Sequence[str], probe_program: str, version: str
) -> Path:
    """Return a folder with these subfolders of `source`, whose `probe_program` the layout's user can run.

    It is `source` itself, or a copy inside the home of the layout, which is made once. Raises
    ConfigurationError if the copy fails or cannot be run.
    """
    if _can_account_run_program(layout, source / probe_program):
        return source
    copied_folder = layout.home / f"programs-{version}"
    if not _can_account_run_program(layout, copied_folder / probe_program):
        try:
            shutil.rmtree(copied_folder, ignore_errors=True)
            new_folder = Path(tempfile.mkdtemp(prefix="programs-new-", dir=layout.home))
            for subfolder in subfolders:
                shutil.copytree(
                    source / subfolder,
                    new_folder / subfolder,
                    ignore=shutil.ignore_patterns("include", "*.a"),
                )
            for path in (new_folder, *new_folder.rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
            for path in (new_folder, *new_folder.rglob("*")):
                os.chown(path, layout.account.uid, layout.account.gid, follow_symlinks=False)
            new_folder.rename(copied_folder)
        except OSError as error:
            raise ConfigurationError(
                f"Could not copy the server programs to {copied_folder}: {error.strerror}."
            ) from error
    if not _can_account_run_program(layout, copied_folder / probe_program):
        raise ConfigurationError(
            f"The system user {layout.account.name} cannot run {copied_folder / probe_program}."
        )
    return copied_folder


def _choose_server_account(*, may_be_root: bool) -> SystemUser:
    if os.geteuid() != 0 or may_be_root:
        return _get_account(os.geteuid(), os.getegid())
    for name in ("postgres", "nobody"):
        try:
            user_entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if user_entry.pw_uid != 0:
            return SystemUser(user_entry.pw_uid, user_entry.pw_gid, name, is_self=False)
    raise ConfigurationError(
        "Postgres does not run as root, and this system has neither a user postgres nor a user nobody. "
        "Run as an ordinary user, or set CITEGRAPH_DATABASE_URL."
    )


def _get_account(uid: int, gid: int) -> SystemUser:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = str(uid)
    return SystemUser(uid, gid, name, is_self=uid == os.geteuid())


def _make_home(folder: Path, *, may_be_root: bool) -> Path:
    home = folder / "home"
    if home.is_dir():
        owner = get_folder_owner(home)
        # A start that was killed may have made the home and not yet given it away.
        if (owner.uid != 0 or may_be_root) and _can_access(home, owner):
            return home
    account = _choose_server_account(may_be_root=may_be_root)
    _make_private_folder(home, account)
    if _can_access(home, account):
        return home
    # The empty folder stays at `home`; the record names the temporary folder that is used instead.
    return _make_private_temporary_folder(account, max_length=None)


def _make_private_folder(path: Path, account: SystemUser) -> None:
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        if not account.is_self:
            os.chown(path, account.uid, account.gid)
        path.chmod(0o700)
    except OSError as error:
        raise ConfigurationError(f"The server folder {path} cannot be made: {error.strerror}.") from error


def _make_private_temporary_folder(account: SystemUser, *, max_length: int | None) -> Path:
    """Create a private folder with a random name, so that no other user can have created it."""
    for parent in dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp")):  # noqa: S108
        try:
            path = Path(tempfile.mkdtemp(prefix="citegraph-", dir=parent))
        except OSError:
            continue
        if max_length is None or len(os.fsencode(path)) <= max_length:
            _make_private_folder(path, account)
            if _can_access(path, account):
                return path
        path.rmdir()
    raise ConfigurationError(
        f"Found no folder for temporary files that the system user {account.name} can reach; "
        "set TMPDIR to one."
    )


def _is_private(path: Path, account: SystemUser) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return (
        path.is_dir()
        and not path.is_symlink()
        and status.st_uid == account.uid
        and not status.st_mode & 0o077
    )


def _can_access(path: Path, account: SystemUser) -> bool:
    """Return whether the account can access the path, tried as that user: modes, access lists and mounts all
    count.
    """
    if account.is_self:
        return os.access(path, os.W_OK | os.X_OK)
    check = 'cd -- "$1" && test -w .'
    return run_as_account(account, ["/bin/sh", "-c", check, "sh", str(path)], cwd=Path("/")).returncode == 0


def _can_account_run_program(layout: Layout, program: Path) -> bool:
    command = ["/bin/sh", "-c", 'exec "$1" --version', "sh", str(program)]
    return run_as_account(layout.account, command, cwd=layout.home).returncode == 0


def _write_layout_record(folder: Path, layout: Layout) -> None:
    record = {"folder": str(folder), "home": str(layout.home), "sockets": str(layout.socket_folder)}
    new_file = folder / f"{_RECORD_NAME}.new"
    try:
        new_file.write_text(json.dumps(record, indent=2) + "\n")
        new_file.replace(folder / _RECORD_NAME)
    except OSError as error:
        raise ConfigurationError(
            f"The server folder {folder} cannot be written to: {error.strerror}."
        ) from error

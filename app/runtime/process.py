"""Launch, recognise and stop processes that outlive the program that started them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import ConfigurationError

POLL_SECONDS = 0.02

# `exec … &` leaves the server to the system's first process: it is never our child, so neither an
# unreaped child nor a terminal's Ctrl-C can be a problem of ours, and its process id is `$!`.
_LAUNCH_SCRIPT = (
    'log=$1; shift; exec 3>&1; { exec 3>&-; exec "$@" >>"$log" 2>&1 </dev/null; } & echo "$!" >&3'
)

# SIGINT is Postgres' fast shutdown and an orderly one for Valkey; SIGQUIT is Postgres' immediate one.
_STOP_STEPS = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0))
# A checkpoint of many databases can take the 20 s, for what is deleted at once.
_DISCARD_SECONDS = 2.0
_LOG_TAIL_BYTES = 4096


@dataclass(frozen=True)
class SystemUser:
    """The operating-system user that a server runs as, and whether that is the current one."""

    uid: int
    gid: int
    name: str
    is_self: bool


def run_as_account(
    account: SystemUser, command: Sequence[str], *, cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command as `account` in a session of its own; return the result, also of a failed command.

    Raises ConfigurationError if the system forbids changing to that user.
    """
    foreign_account = None if account.is_self else account
    try:
        return subprocess.run(
            list(command),
            cwd=cwd,
            env=dict(build_clean_environment() if environment is None else environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            start_new_session=True,
            user=foreign_account.uid if foreign_account else None,
            group=foreign_account.gid if foreign_account else None,
            extra_groups=[] if foreign_account else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigurationError(
            f"Could not run {Path(command[0]).name} as the system user {account.name}: {error}."
        ) from error


def launch_process(
    account: SystemUser,
    command: Sequence[str],
    *,
    log: Path,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Start a process that outlives the caller, with its output in `log`; return its id.

    Raises ConfigurationError if it cannot be launched.
    """
    launch_command = ["/bin/sh", "-c", _LAUNCH_SCRIPT, "sh", str(log), *command]
    process = run_as_account(account, launch_command, cwd=cwd, environment=environment)
    output_words = process.stdout.split()
    if process.returncode != 0 or not output_words or not output_words[0].isdigit():
        raise ConfigurationError(f"Could not launch {Path(command[0]).name}: {process.stdout.strip()}")
    return int(output_words[0])


def build_clean_environment() -> dict[str, str]:
    """Return an environment without the caller's locale and PG* variables."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def is_process_alive(pid: int) -> bool:
    """Return whether this process runs. A zombie does not."""
    if pid <= 1:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return not _is_zombie(pid)


def get_command_line(pid: int) -> list[str]:
    """Return the arguments of the process; [] if it has ended or is a zombie."""
    if sys.platform == "linux":
        try:
            command_line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return []
        return [os.fsdecode(argument) for argument in command_line.split(b"\0") if argument]
    return _query_ps(pid, "command").split()


def stop_process_and_check_ended(pid: int, *, discard: bool = False) -> bool:
    """Send signals, SIGKILL last, until the process has ended; return whether it has.

    If `discard`, its remaining output is not needed, and it gets less time for each signal.
    """
    for stop_signal, wait_seconds in _STOP_STEPS:
        if not is_process_alive(pid):
            return True
        try:
            os.kill(pid, stop_signal)
        except ProcessLookupError:
            return True
        deadline = time.monotonic() + (min(wait_seconds, _DISCARD_SECONDS) if discard else wait_seconds)
        while is_process_alive(pid) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
    return not is_process_alive(pid)


def read_log_tail(log: Path) -> str:
    """Return the last lines of a log file; "" if it cannot be read."""
    try:
        with log.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LOG_TAIL_BYTES))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _is_zombie(pid: int) -> bool:
    if sys.platform == "linux":
        try:
            status = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        except OSError:
            return True  # It went away between the signal and the look.
        # The program's name stands in brackets and may itself hold brackets or spaces.
        return status.rpartition(")")[2].split()[0] in {"Z", "X"}
    return _query_ps(pid, "stat").startswith("Z")


def _query_ps(pid: int, column: str) -> str:
    process = subprocess.run(
        ["ps", "-o", f"{column}=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return process.stdout.strip()

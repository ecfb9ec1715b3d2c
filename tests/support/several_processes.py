"""Connections to a chosen one of several processes that serve on one port."""

import http.client
import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

SECONDS = 180.0


def children_of(parent: int) -> set[int]:
    """The processes that this one started and that live."""
    found = set()
    for stat_file in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = stat_file.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(ppid) == parent and state != "Z":
            found.add(int(stat_file.parent.name))
    return found


def sockets_of(process: int) -> set[str]:
    """The inodes of the sockets that a process has open."""
    found = set()
    for descriptor in Path(f"/proc/{process}/fd").glob("*"):
        try:
            target = os.readlink(descriptor)
        except OSError:
            continue
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


def listeners(parent: int, port: int) -> list[int]:
    """The processes that this one started and that serve on the port."""
    inodes = {
        fields[9]
        for fields in map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
        if fields[1].endswith(f":{port:04X}") and fields[3] == "0A"
    }
    return sorted(process for process in children_of(parent) if inodes & sockets_of(process))


@dataclass
class Visitor:
    """A browser whose every request goes to a process that the test names; cookies are kept."""

    port: int
    parent: int
    cookie: str = ""
    _open: dict[int, http.client.HTTPConnection] = field(default_factory=dict)

    def processes(self, wanted: int) -> list[int]:
        """The serving processes, each connected to, once there are so many."""
        found = self.begun(wanted)
        for process in found:
            if process not in self._open:
                self._open[process] = self._connected(process, found)
        return found

    def serving(self) -> list[int]:
        """The processes that serve now, or are about to."""
        return listeners(self.parent, self.port)

    def begun(self, wanted: int) -> list[int]:
        """The processes that serve or are about to, once there are so many."""
        deadline = time.monotonic() + SECONDS
        while len(found := self.serving()) < wanted:
            assert time.monotonic() < deadline, f"only {found} serve"
            assert Path(f"/proc/{self.parent}/fd").exists(), "the parent has ended"
            time.sleep(0.1)
        return found

    def _connected(self, process: int, all_of_them: Sequence[int]) -> http.client.HTTPConnection:
        """A connection that this process has taken, since the others were stopped for a moment."""
        others = [other for other in all_of_them if other != process]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            for other in others:
                os.kill(other, signal.SIGSTOP)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)
        return connection

    def close(self) -> None:
        """Hang up everywhere."""
        for connection in self._open.values():
            connection.close()
        self._open.clear()

    def send(
        self, process: int, method: str, path: str, body: bytes | None = None, /, **headers: str
    ) -> http.client.HTTPResponse:
        """The answer of that process; the caller reads it whole before the next."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            named.setdefault("cookie", self.cookie)
        self._open[process].request(method, path, body, named)
        try:
            answer = self._open[process].getresponse()
        except http.client.RemoteDisconnected:
            # A process hangs up where nothing was asked for long, and a busy machine takes long elsewhere.
            serving = self.serving()
            if process not in serving:
                raise
            self._open[process].close()
            self._open[process] = self._connected(process, serving)
            self._open[process].request(method, path, body, named)
            answer = self._open[process].getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                self.cookie = value.partition(";")[0]
        return answer

    def get(self, process: int, path: str, *, status: int = 200, **headers: str) -> str:
        """The text of a page of that process."""
        answer = self.send(process, "GET", path, None, **headers)
        text = answer.read().decode()
        assert answer.status == status, (path, answer.status, text[:500])
        return text

    def post(self, process: int, path: str, fields: Mapping[str, str], *, status: int = 303) -> str:
        """The answer of that process to a form."""
        form = urlencode(fields).encode()
        kind = "application/x-www-form-urlencoded"
        origin = f"http://127.0.0.1:{self.port}"
        answer = self.send(process, "POST", path, form, content_type=kind, origin=origin)
        text = answer.read().decode()
        assert answer.status == status, (path, answer.status, text[:500])
        return str(answer.headers.get("location", text))


def csrf_of(page: str) -> str:
    """The token of a page's forms."""
    found = re.search(r'name="csrf-token" content="([0-9a-f]+)"', page)
    assert found, page[:500]
    return found[1]

"""The resident memory of the service's processes, looked at a few times a second by `ps`."""

import subprocess
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Self

LOOKS_APART = 0.3


def process_table() -> list[tuple[int, int, int]]:
    """Process, parent and resident bytes of everything that runs here."""
    listed = subprocess.run(
        ["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True, timeout=10
    )
    rows = (line.split() for line in listed.stdout.splitlines())
    return [(int(pid), int(parent), int(kilobytes) * 1024) for pid, parent, kilobytes in rows]


class MemoryWatch:
    """The most that each of these processes, and each process beneath them, held while the block ran.

    Children of a worker come and go; each counts for itself.
    """

    def __init__(self, roots: Mapping[str, int]) -> None:
        self._roots = roots
        self._most: dict[tuple[str, int], int] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(15)

    def most(self) -> dict[str, int]:
        """Name of each root to the bytes of its largest process."""
        largest: dict[str, int] = dict.fromkeys(self._roots, 0)
        for (name, _), held in list(self._most.items()):
            largest[name] = max(largest[name], held)
        return largest

    def _watch(self) -> None:
        while not self._ended.wait(LOOKS_APART):
            self._look()

    def _look(self) -> None:
        table = process_table()
        beneath: dict[int, list[int]] = {}
        held = {}
        for pid, parent, resident in table:
            beneath.setdefault(parent, []).append(pid)
            held[pid] = resident
        for name, root in self._roots.items():
            waiting = [root]
            while waiting:
                pid = waiting.pop()
                waiting += beneath.get(pid, [])
                if pid in held:
                    known = self._most.get((name, pid), 0)
                    self._most[name, pid] = max(known, held[pid])

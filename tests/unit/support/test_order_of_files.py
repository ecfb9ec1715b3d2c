"""The files of tests that take longest begin."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support import durations


def item(path: str) -> Any:
    return SimpleNamespace(path=Path("/checkout") / path)


def test_longer_files_come_first_and_others_keep_their_order() -> None:
    items = [item(name) for name in ("a.py", "b.py", "tests/long.py", "b.py", "tests/longer.py", "c.py")]
    seconds = {"tests/long.py": 7, "tests/longer.py": 90}
    in_order = [
        test_file.path.name for test_file in durations.longest_first(items, Path("/checkout"), seconds)
    ]
    assert in_order == ["longer.py", "long.py", "a.py", "b.py", "b.py", "c.py"]


def test_only_long_files_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durations, "FILE", tmp_path / "durations.json")
    taken: list[Any] = [
        SimpleNamespace(nodeid=nodeid, duration=seconds)
        for nodeid, seconds in (("a.py::one", 4.0), ("a.py::two", 3.0), ("b.py::one", 2.0), ("c.py::x", 9.4))
    ]
    durations.write_seconds(taken)
    assert list(durations.known_seconds().items()) == [("c.py", 9), ("a.py", 7)]


def test_every_file_that_is_noted_is_there() -> None:
    root = Path(__file__).parents[3]
    assert [file for file in durations.known_seconds() if not (root / file).exists()] == []

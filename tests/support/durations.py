"""How long each file of tests takes: the longest begin, so that no process waits for another's at the end."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "durations.json"
# Files that take less are none that anybody waits for; nor is one that is new.
LEAST_SECONDS = 5


def known_seconds() -> dict[str, int]:
    """File of tests → its seconds, as measured by `make durations`; the long ones alone."""
    seconds: dict[str, int] = json.loads(FILE.read_text("utf-8"))
    return seconds


def longest_first(items: Sequence[pytest.Item], root: Path, seconds: Mapping[str, int]) -> list[pytest.Item]:
    """The tests, those of longer files before those of shorter ones, else in their order."""
    return sorted(items, key=lambda item: -seconds.get(item.path.relative_to(root).as_posix(), 0))


def write_seconds(reports: Iterable[pytest.TestReport]) -> None:
    """Write the file anew from the reports of a whole run."""
    seconds: Counter[str] = Counter()
    for report in reports:
        seconds[report.nodeid.partition("::")[0]] += report.duration  # type: ignore[assignment]
    long = {file: round(taken) for file, taken in seconds.most_common() if taken >= LEAST_SECONDS}
    FILE.write_text(json.dumps(long, indent=1) + "\n", "utf-8")

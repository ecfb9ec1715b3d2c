"""How outputs differ from the golden files."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

EXPECTED = Path(__file__).parent / "expected"
_MOST_LINES = 60


def differences(actual: Mapping[str, str], folder: Path, names: Iterable[str]) -> str:
    """The first lines of a diff between the files of these names, or below, and the outputs; "" for none."""
    paths = [
        path for name in names for path in (folder / name, *(folder / name).rglob("*")) if path.is_file()
    ]
    expected = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}

    def lines() -> Iterator[str]:
        for name in sorted(expected.keys() | actual.keys()):
            yield from difflib.unified_diff(
                expected.get(name, "").splitlines(),
                actual.get(name, "").splitlines(),
                f"{name} as expected",
                f"{name} as it is",
                n=0,
                lineterm="",
            )

    return "\n".join(islice(lines(), _MOST_LINES))

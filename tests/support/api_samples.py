"""Bodies of answers in docs/api.md: written from a run of its examples, and compared by their shape."""

import json
import re
from collections.abc import Sequence
from typing import Any

EXAMPLE = re.compile(r"```sh\n(?P<script>.*?)```\n(?:\n```json\n(?P<answers>.*?)```\n)?", re.DOTALL)
SECRET = re.compile(r"^(cg_live_|whsec_).*")
WIDTH = 118
MOST_CHARACTERS = 90
MOST_LINES = 60
# What they hold is data of the caller or of the run: any key may stand there.
MAPS = frozenset({"attributes", "counts", "details", "metadata", "properties", "quotas", "rows", "settings"})


def answers_in(output: str) -> list[Any]:
    """The bodies that a script printed, one a line; what is no JSON, or a line of an export, is left out."""
    found = []
    for line in output.splitlines():
        if line.startswith(("{", "[")):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return [body for body in found if not (isinstance(body, dict) and "kind" in body and "format" in body)]


def trimmed(value: Any) -> Any:
    """The value with one entry of each list, and the beginnings of long texts."""
    if isinstance(value, dict):
        return {name: trimmed(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [trimmed(inner) for inner in value[:1]]
    if isinstance(value, str):
        value = SECRET.sub(r"\1…", value)
        return value if len(value) <= MOST_CHARACTERS else f"{value[:MOST_CHARACTERS]}…"
    return value


def written(value: Any, indent: int = 0) -> str:
    """The value as JSON whose lines are full."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    blanks = " " * (indent + 2)
    if isinstance(value, list):
        inner = [f"{blanks}{written(item, indent + 2)}" for item in value]
        return "\n".join(["[", ",\n".join(inner), f"{' ' * indent}]"])
    lines: list[str] = []
    for name, item in value.items():
        part = f"{json.dumps(name)}: {written(item, indent + 2)}"
        if lines and "\n" not in part and "\n" not in lines[-1] and len(lines[-1]) + len(part) + 3 <= WIDTH:
            lines[-1] += f", {part}"
        else:
            lines.append(f"{blanks}{part}")
    return "\n".join(["{", ",\n".join(lines), f"{' ' * indent}}}"])


def sample_of(answers: Sequence[Any]) -> str:
    """The block that stands behind an example; nothing where it answers without a body, or with too much."""
    parts = [written(trimmed(answer)) for answer in answers]
    shown = [part for part in parts if part.count("\n") < MOST_LINES]
    return "\n".join(["", "```json", *shown, "```", ""]) if shown else ""


def bodies_of(block: str) -> list[Any]:
    """The bodies that stand in a block, one behind the other."""
    decoder, found = json.JSONDecoder(), []
    rest = block.strip()
    while rest:
        body, end = decoder.raw_decode(rest)
        found.append(body)
        rest = rest[end:].lstrip()
    return found


def is_true(block: str, answers: Sequence[Any]) -> bool:
    """Return whether the bodies of a block have the fields that these answers have."""
    shown, real = bodies_of(block), [answer for answer in answers if sample_of([answer])]
    return len(shown) == len(real) and not any(map(differences, shown, real))


def differences(shown: Any, real: Any, path: str = "") -> list[str]:
    """Where an answer has other fields, or values of another kind, than the guide says."""
    if shown is None or real is None:
        return []
    if isinstance(shown, dict) and isinstance(real, dict):
        if path.rpartition(".")[2] in MAPS:
            return []
        wrong = [f"{path}.{name}" for name in sorted(shown.keys() ^ real.keys())]
        for name in shown.keys() & real.keys():
            wrong += differences(shown[name], real[name], f"{path}.{name}")
        return wrong
    if isinstance(shown, list) and isinstance(real, list):
        return differences(shown[0], real[0], path) if shown and real else []
    kinds = [
        float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
        for value in (shown, real)
    ]
    return [] if kinds[0] is kinds[1] else [path]

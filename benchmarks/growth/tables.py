"""The growth report as tables of Markdown, and their place in a document."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.growth.figures import Measured, doubling
from benchmarks.growth.targets import TARGETS, Target, points_of

RECORDS = {
    int(path.name[:4]): path.name
    for path in (Path(__file__).resolve().parents[2] / "docs" / "decisions").glob("0*.md")
}
"""The name of each decision record's file, by its number."""
BEGIN = "<!-- growth: written by `make bench-full`; no number between these marks is by hand -->"
END = "<!-- growth ends -->"
AXES = {
    "graph": "One graph, by its edges",
    "chunks": "One space, by its chunks",
    "spaces": "One small space, by the spaces in all",
    "large spaces": "A small and a large space, by the large spaces in all",
    "rules": "Taking documents in by rules, by the passages so far",
    "model": "Taking documents in through a model double, by the passages so far",
    "http": "Explain over HTTP, by the documents of the space",
    "starts": "Starts of processes, by the spaces in all",
}


def report(every: Sequence[Measured], sizes: Mapping[str, Sequence[int]]) -> str:
    """All tables; `sizes` are those that a full run has, so that it says which were not run."""
    parts = [
        part
        for group, title in AXES.items()
        if (
            part := _group(title, [figure for figure in every if figure.group == group], sizes.get(group, ()))
        )
    ]
    return "\n\n".join([targets(every), *parts])


def targets(every: Sequence[Measured], chosen: Sequence[Target] = TARGETS) -> str:
    """Every target beside what was measured."""
    lines = ["| target | where | bound | measured | |", "| --- | --- | --- | --- | --- |"]
    for target in chosen:
        value = target.measured(every)
        said = "not run" if value is None else ("met" if target.met(value) else f"**missed**{_why(target)}")
        shown = "" if value is None else number(value)
        lines.append(f"| {target.figure} | {target.about} | {target.bound} | {shown} | {said} |")
    return "\n".join(lines)


def _why(target: Target) -> str:
    return f": [record {target.record}](decisions/{RECORDS[target.record]})" if target.record else ""


def missed(every: Sequence[Measured]) -> list[Target]:
    """The targets that what was measured does not keep."""
    return [
        target
        for target in TARGETS
        if (value := target.measured(every)) is not None and not target.met(value)
    ]


def _group(title: str, rows: Sequence[Measured], wanted: Sequence[int]) -> str:
    if not rows:
        return ""
    rows = sorted(rows, key=lambda row: row.size)
    names = list(dict.fromkeys((figure.name, figure.unit) for row in rows for figure in row.figures))
    head = " | ".join(f"{row.size:,}" for row in rows)
    lines = [f"| {title} | {head} | each doubling |", f"| --- |{' --- |' * (len(rows) + 1)}"]
    for name, unit in names:
        cells = ["" if (value := row.value(name)) is None else number(value) for row in rows]
        slope = doubling(points_of(rows, rows[0].group, name))
        grows = "" if slope is None else f"{slope:.2f} ×"
        label = f"{name}, {unit}" if unit else name
        lines.append(f"| {label} | {' | '.join(cells)} | {grows} |")
    places = ["", *(_place(row) for row in rows)]
    left = [f"{size:,}" for size in wanted if size not in {row.size for row in rows}]
    if left:
        places.append(f"Not run: {', '.join(left)}.")
    return "\n".join(lines) + "\n" + "\n".join(places)


def _place(row: Measured) -> str:
    machine = row.machine
    return (
        f"- {row.size:,}: {row.date}, {row.minutes:.0f} minutes at {machine.revision} on {machine.cores}"
        f" cores ({machine.processor}), {machine.memory_gb} GB, load {machine.load:g} at the start"
    )


def number(value: float) -> str:
    """Three digits that count, and no more."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.3f}"


def write_between(document: Path, text: str) -> None:
    """Put the text between the marks of a document. Raises ValueError where it has none."""
    whole = document.read_text()
    before, begin, rest = whole.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{document} has no place for the growth report: {BEGIN} and {END}")
    document.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")

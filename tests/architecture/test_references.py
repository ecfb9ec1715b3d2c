"""What comments and tests refer to stands in the repository (review H6)."""

import re
from collections.abc import Iterator

from tests.architecture.tree import PROJECT, sources

_CODE = ("app", "workers", "tests", "benchmarks", "alembic")
_CLAUSE = re.compile(r"\brequirements? (\d+)\.(\d+)")
# What "rule J7", "fact 24" and "bad input 23" are called where docs/reliability.md states them.
_STATEMENTS = {
    re.compile(r"\brule ([IJA]\d+)"): r"^- {} ",
    re.compile(r"\bfact (\d+)\b"): r"^{}\. ",
    re.compile(r"\bbad input (\d+)\b"): r"^\| {} \| ",
}


def _texts() -> Iterator[tuple[str, str]]:
    for source in sources(*_CODE):
        yield source.place, source.text
    for folder in _CODE:
        for path in sorted((PROJECT / folder).rglob("*.sql")):
            yield path.relative_to(PROJECT).as_posix(), path.read_text("utf-8")


def test_rules_facts_and_bad_inputs_stand_in_docs_reliability() -> None:
    page = (PROJECT / "docs" / "reliability.md").read_text("utf-8")
    missing = [
        f"{place}: {match[0]}"
        for place, text in _texts()
        for pattern, statement in _STATEMENTS.items()
        for match in pattern.finditer(text)
        if re.search(statement.format(match[1]), page, re.MULTILINE) is None
    ]
    assert missing == []


def test_requirements_stand_in_docs_requirements() -> None:
    page = (PROJECT / "docs" / "requirements.md").read_text("utf-8")
    sections = re.split(r"^## (\d+) .*$", page.partition("## Tests of sections")[0], flags=re.MULTILINE)
    clauses = {
        (number, clause)
        for number, body in zip(sections[1::2], sections[2::2], strict=True)
        for clause in re.findall(r"^(\d+)\. ", body, re.MULTILINE)
    }
    missing = [
        f"{place}: {match[0]}"
        for place, text in _texts()
        for match in _CLAUSE.finditer(text)
        if (match[1], match[2]) not in clauses
    ]
    assert missing == []

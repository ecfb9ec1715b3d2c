"""docs/glossary.md says where each concept is; somebody who knows its word finds the file without the
table.
"""

import re
from pathlib import PurePath

from tests.architecture.tree import PROJECT

ROW = re.compile(r"^\| (.+?) \| `(.+?)` \|$", re.MULTILINE)
PATH = re.compile(
    r"`((?:app|tests|workers|alembic|docs|benchmarks)/[\w/.-]*)`|\]\(([^)#:]+)\)|(tests/\w+/\w+\.py)"
)


def rows() -> list[tuple[str, str]]:
    """(concept, path) of each row of the table."""
    _, table = (PROJECT / "docs" / "glossary.md").read_text("utf-8").split("## Where each thing is")
    found = ROW.findall(table)
    assert len(found) == len(re.findall(r"^\| ", table, re.MULTILINE)) - 2, "a row has no file"
    return found


def stems(text: str) -> set[str]:
    """The first five letters of each word in the singular: "embedder" and "embedding" are one."""
    found = re.findall(r"[a-z]{3,}", text.casefold().replace("_", " "))
    return {re.sub(r"ies$", "y", word).removesuffix("s")[:5] for word in found}


def is_named_for(concept: str, path: str) -> bool:
    """Return whether the file's own name, without its folders, has a word of the concept."""
    return not stems(concept).isdisjoint(stems(PurePath(path).stem))


def test_there_are_enough_concepts_to_find_ones_way() -> None:
    concepts = [concept for concept, _ in rows()]
    assert len(concepts) >= 25
    assert len(set(concepts)) == len(concepts)


def test_each_concept_is_in_a_file_that_is_there() -> None:
    assert [path for _, path in rows() if not (PROJECT / path).is_file()] == []


def test_each_file_is_named_for_its_concept() -> None:
    assert [f"{concept}: {path}" for concept, path in rows() if not is_named_for(concept, path)] == []


def test_a_file_of_another_name_would_be_found() -> None:
    assert not is_named_for("lease", "app/jobs/kinds.py")
    assert is_named_for("near duplicate", "app/graph/write/near_duplicates.py")
    assert is_named_for("community report", "app/derived/communities/report_writers.py")
    assert not is_named_for("community report", "app/derived/communities/shapes.py")


def test_what_contributing_names_is_there() -> None:
    guide = (PROJECT / "CONTRIBUTING.md").read_text("utf-8")
    named = {next(filter(None, groups)) for groups in PATH.findall(guide)}
    assert len(named) >= 15
    assert sorted(path for path in named if not (PROJECT / path).exists()) == []

"""docs/security.md names every limit with the default that it has."""

import re

from app.settings import Settings
from tests.architecture.tree import PROJECT

LIMIT = re.compile(
    r"(max|min|tenant|keyless|worker_memory|parse)_|(head|transfer|idle|read|answer|pool|statement|lock)_timeout|job_slice"
)
# Limits of a question or a graph, not of who may burden whom, and one of quality.
OTHERS = {"max_facts", "max_tags", "min_confidence"}


def test_every_limit_stands_there_with_its_default() -> None:
    guide = (PROJECT / "docs" / "security.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", guide, re.MULTILINE))
    wrong = {}
    for name, field in Settings.model_fields.items():
        if LIMIT.match(name) and name not in OTHERS:
            shown = rows.get(name.upper())
            if shown != ("unset" if field.default is None else f"{field.default:,}"):
                wrong[name] = (shown, field.default)
    assert wrong == {}

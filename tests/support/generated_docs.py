"""Writes the parts of documents that say what the code has (`make docs`).

Each part stands between two lines that hold its markers; a test compares what stands there.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import AliasChoices

from app.cli.limits_table import render_limits_table
from app.cli.settings_table import render_settings_table
from app.documents.format_registry import render_formats_table
from app.documents.token_counts import count_tokens
from app.domain.node_types import DEFAULT_NODE_TYPES
from app.domain.relation_descriptions import render_relation_types_table
from app.domain.relation_types import DEFAULT_RELATION_TYPES, SPECIFIC_RELATION_TYPES
from app.error_codes import write_error_codes_table
from app.llm.prompts import (
    answer,
    attributes,
    claim_check,
    community_report,
    entities,
    gleaning,
    node_summary,
    relations,
    report_points,
    same_entity,
    support,
    tags,
)
from app.llm.structured_output import Question, build_schema_format
from app.settings import Settings

PROJECT = Path(__file__).resolve().parents[2]
# Set in docker-compose.yml by hand: addresses and secrets that not every service may have, what the image
# says, and a superuser's address that no service needs.
COMPOSE_SETS = frozenset(
    {"database_url", "migration_database_url", "redis_url", "app_password", "operator_key", "cursor_secret"}
    | {"worker_metrics_port", "home", "host", "port", "cluster_url"}
)


def variables_of(name: str) -> list[str]:
    """The variables of the environment that a setting is read from."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices]
    return [f"CITEGRAPH_{name.upper()}"]


def compose_environment() -> str:
    """Every setting that Docker Compose hands on as it stands in .env or the shell."""
    names = [name for name in Settings.model_fields if name not in COMPOSE_SETS]
    return "\n".join(f"  {variable}:" for name in names for variable in variables_of(name))


def prompts_text() -> str:
    """The system message of every call to a model, of a space with the default vocabulary, and its tokens."""
    structured = (
        entities.build_prompt(DEFAULT_NODE_TYPES),
        gleaning.build_prompt(DEFAULT_NODE_TYPES),
        attributes.PROMPT,
        relations.build_prompt((*DEFAULT_RELATION_TYPES, *SPECIFIC_RELATION_TYPES), open_relations=False),
        claim_check.PROMPT,
        same_entity.PROMPT,
        node_summary.PROMPT,
        community_report.PROMPT,
        report_points.PROMPT,
        tags.PROMPT,
        support.PROMPT,
    )
    shown = [
        (
            prompt.version,
            prompt.purpose,
            prompt.build_messages([])[0]["content"],
            count_tokens(json.dumps(build_schema_format(Question(prompt.purpose, [], prompt.schema)))),
        )
        for prompt in structured
    ]
    asked = answer.build_messages("", [], today=date(2024, 5, 6))[0]["content"]
    shown.append((answer.VERSION, answer.PURPOSE, asked, 0))
    rows = [
        f"| `{version}` | {purpose.replace('_', ' ')} | {count_tokens(system)} | {schema_tokens or ''} |"
        for version, purpose, system, schema_tokens in shown
    ]
    texts = [f"**`{version}`**\n\n```text\n{system}\n```" for version, _, system, _ in shown]
    head = ["| version | asked about | tokens of it | of its schema |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n\n" + "\n\n".join(texts)


# (file, the line before, what stands there, the line behind)
PARTS = (
    ("docs/errors.md", "<!-- generated: error codes -->", write_error_codes_table, "<!-- end -->"),
    ("docs/limits.md", "<!-- generated: limits -->", render_limits_table, "<!-- end -->"),
    ("docs/models.md", "<!-- generated: prompts -->", prompts_text, "<!-- end -->"),
    ("docs/formats.md", "<!-- generated: formats -->", render_formats_table, "<!-- end -->"),
    (
        "docs/extraction-rules.md",
        "<!-- generated: relation types -->",
        render_relation_types_table,
        "<!-- end -->",
    ),
    ("docs/settings.md", "<!-- generated: settings -->", render_settings_table, "<!-- end -->"),
    ("docker-compose.yml", "  # generated: settings", compose_environment, "  # end"),
)


# The commands whose answers docs/cli.md shows, on the space that the demo made.
SPACE = ("--space", "relational-databases")
EXPLAIN = ("explain", "--from", "PostGIS", "--to", "PostgreSQL", *SPACE)
MOST_STATED = "SELECT relation_type, edges FROM inspect_relation_types LIMIT 2"
COUNT = ("psql", *SPACE, "-c", MOST_STATED)
SAMPLES = {"README.md": "demo", "docs/cli.md": "commands"}
SAMPLES_BEGIN, SAMPLES_END = "<!-- generated: {} -->\n```", "```\n<!-- end -->"


def demo_sample(screen: str) -> str:
    """What the demo prints from its question on, up to its hints."""
    return screen[screen.index("QUESTION\n") :].partition("\n\nNEXT STEPS")[0].strip()


def commands_sample(explained: str, counted: str) -> str:
    """What `explain` and `psql` print: three paths, one fact and the counts."""
    head, _, facts = explained.strip().partition("\n\nFACTS\n")
    return "\n".join(
        [
            f"$ citegraph {shlex.join(EXPLAIN)}",
            *head.splitlines()[:6],
            "  …",
            "",
            "FACTS",
            *facts.splitlines()[:3],
            "  …",
            "",
            f'$ citegraph {" ".join(COUNT[:-1])} "{MOST_STATED}"',
            *(line.rstrip() for line in counted.strip("\n").splitlines()),
        ]
    )


def with_sample(file: str, sample: str) -> str:
    """The text of that document with this sample of what is printed."""
    text = (PROJECT / file).read_text("utf-8")
    return with_generated(text, SAMPLES_BEGIN.format(SAMPLES[file]), sample, SAMPLES_END)


def run_samples(program: Sequence[str], folder: Path, screen: str | None = None) -> tuple[str, str]:
    """Both samples, from a run of the program's commands in that folder; `screen` is what its demo printed
    already.
    """

    def call(*words: str) -> str:
        done = subprocess.run([*program, *words], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return demo_sample(call("demo") if screen is None else screen), commands_sample(
        call(*EXPLAIN), call(*COUNT)
    )


def with_generated(text: str, begin: str, part: str, end: str) -> str:
    """The text with the part between its two lines."""
    pattern = re.compile(f"(?<={re.escape(begin)}\n).*?(?=\n{re.escape(end)}\n)", re.DOTALL)
    assert len(pattern.findall(text)) == 1, begin
    return pattern.sub(lambda _: part, text)


def write_documents() -> None:
    """Write all parts anew."""
    for file, begin, make, end in PARTS:
        path = PROJECT / file
        path.write_text(with_generated(path.read_text("utf-8"), begin, make(), end), "utf-8")
    with TemporaryDirectory() as home:
        os.environ["CITEGRAPH_HOME"] = home
        samples = run_samples([sys.executable, "-m", "app.cli.main"], PROJECT)
    for file, sample in zip(SAMPLES, samples, strict=True):
        (PROJECT / file).write_text(with_sample(file, sample), "utf-8")


def check_samples(program: str, screen: Path) -> None:
    """End with an error if a document shows another sample than this program prints, whose demo has printed
    `screen`.
    """
    samples = run_samples([program], screen.parent, screen.read_text("utf-8"))
    for file, sample in zip(SAMPLES, samples, strict=True):
        if with_sample(file, sample) != (PROJECT / file).read_text("utf-8"):
            sys.exit(f"The sample in {file} is not what the program prints. Run `make docs`.\n{sample}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        check_samples(sys.argv[2], Path(sys.argv[3]))
    else:
        write_documents()

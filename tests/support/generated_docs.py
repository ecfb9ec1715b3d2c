"""Writes the parts of documents that say what the code has (`make docs`).

Each part stands between two lines that hold its markers; a test compares what stands there.
"""

import re
from pathlib import Path

from pydantic import AliasChoices

from app.cli.settings_table import settings_table
from app.settings import Settings

PROJECT = Path(__file__).resolve().parents[2]
MOST_USED = (
    "database_url",
    "redis_url",
    "home",
    "port",
    "operator_key",
    "openai_api_key",
    "openai_base_url",
    "llm_model",
    "embedding_base_url",
    "embedding_model",
    "embedding_dimensions",
    "chunk_tokens",
    "worker_concurrency",
    "log_level",
)
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


def most_used_settings() -> str:
    """The rows of the table of settings that most installations set."""
    head, rule, *rows = settings_table().splitlines()
    by_name = dict(zip(Settings.model_fields, rows, strict=True))
    return "\n".join([head, rule, *(by_name[name] for name in MOST_USED)])


def compose_environment() -> str:
    """Every setting that Docker Compose hands on as it stands in .env or the shell."""
    names = [name for name in Settings.model_fields if name not in COMPOSE_SETS]
    return "\n".join(f"  {variable}:" for name in names for variable in variables_of(name))


# (file, the line before, what stands there, the line behind)
PARTS = (
    ("README.md", "<!-- generated: most used settings -->", most_used_settings, "<!-- end -->"),
    ("docs/settings.md", "<!-- generated: settings -->", settings_table, "<!-- end -->"),
    ("docker-compose.yml", "  # generated: settings", compose_environment, "  # end"),
)


def with_generated(text: str, begin: str, part: str, end: str) -> str:
    """The text with the part between its two lines."""
    pattern = re.compile(f"(?<={re.escape(begin)}\n).*?(?=\n{re.escape(end)}\n)", re.DOTALL)
    assert len(pattern.findall(text)) == 1, begin
    return pattern.sub(lambda _: part, text)


def main() -> None:
    """Write all parts anew."""
    for file, begin, make, end in PARTS:
        path = PROJECT / file
        path.write_text(with_generated(path.read_text("utf-8"), begin, make(), end), "utf-8")


if __name__ == "__main__":
    main()

"""Prints the table of settings of docs/settings.md: `python -m app.cli.settings_table`."""

import json
import sys

from pydantic import SecretStr

from app.settings import Settings


def settings_table() -> str:
    """Every setting with its default and what it does, as a Markdown table."""
    lines = ["| setting | default | what it does |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        default = field.default
        assert not isinstance(default, SecretStr)
        # A mapping is given as JSON.
        told = json.dumps(default) if isinstance(default, dict) else default
        shown = "unset" if default is None or default == "" else f"`{told}`"
        lines.append(f"| `CITEGRAPH_{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(settings_table() + "\n")

"""Prints the settings table of docs/settings.md: `python -m app.cli.settings_table`."""

import json
import sys

from pydantic import SecretStr

from app.settings import Settings


def render_settings_table() -> str:
    """Return every setting with its default and description, as a Markdown table."""
    lines = ["| setting | default | what it does |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        default_value = field.default
        assert not isinstance(default_value, SecretStr)
        # A mapping is written as JSON.
        default_text = json.dumps(default_value) if isinstance(default_value, dict) else default_value
        cell = "unset" if default_value is None or default_value == "" else f"`{default_text}`"
        lines.append(f"| `CITEGRAPH_{name.upper()}` | {cell} | {field.description} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(render_settings_table() + "\n")

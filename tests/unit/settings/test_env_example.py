""".env.example: every line names a setting, shows its default, and nothing of the model's is missing."""

import json
import re
from pathlib import Path

from app.settings import Settings

EXAMPLE = Path(__file__).resolve().parents[3] / ".env.example"
LINE = re.compile(r"^# ([A-Z_]+)=(.*)$", re.MULTILINE)


def variable(name: str) -> str:
    return name.upper() if name.startswith("openai_") else f"CITEGRAPH_{name.upper()}"


def test_each_line_shows_the_default_of_a_setting() -> None:
    defaults = {variable(name): field.default for name, field in Settings.model_fields.items()}
    shown = dict(LINE.findall(EXAMPLE.read_text()))
    assert shown
    for name, value in shown.items():
        assert name in defaults, name
        default = defaults[name]
        written = "" if default is None else default if isinstance(default, str) else json.dumps(default)
        assert value == written, name


def test_no_setting_of_the_model_is_missing() -> None:
    shown = dict(LINE.findall(EXAMPLE.read_text()))
    wanted = {
        variable(name)
        for name in Settings.model_fields
        if name.startswith(("openai_", "llm_", "embedding_")) or name in ("database_url", "redis_url")
    }
    assert wanted <= shown.keys()


def test_nothing_is_set_before_somebody_sets_it() -> None:
    assert not [line for line in EXAMPLE.read_text().splitlines() if line and not line.startswith("#")]

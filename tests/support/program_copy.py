"""A copy of the program with one change, and what it then says: recipes are performed there."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]


def copy_program(folder: Path) -> Path:
    """Copy the program's package into an empty folder, which is given back."""
    shutil.copytree(PROJECT / "app", folder / "app", ignore=shutil.ignore_patterns("vendor"))
    return folder


def replace_once(file: Path, text: str, new_text: str) -> None:
    """Write `new_text` in place of the only occurrence of `text`."""
    content = file.read_text("utf-8")
    assert content.count(text) == 1, (file, text)
    file.write_text(content.replace(text, new_text), "utf-8")


def run_in_copy(copy: Path, program: str) -> dict[str, Any]:
    """Run a script by the copy alone: the JSON object that it prints."""
    command = [sys.executable, "-c", program]
    environment = {"PYTHONPATH": str(copy), "PATH": ""}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer

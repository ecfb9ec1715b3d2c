"""What some tests need of the machine besides the locked packages, and how to get it.

A test says it by the mark `needs("browser")`. Where it is missing the test is skipped, and the run ends by
saying so. In continuous integration (`CI=true`) it fails: nobody would notice an untested guarantee.
"""

import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.dashboard.files import VENDOR_FOLDER
from app.llm.embedding.minilm import find_weights_folder, tokenizers

AXE = Path(__file__).parent / "vendor" / "axe.js"
"""The script that finds what a page lacks for a screen reader."""
PROGRAMS = f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin"
"""Where programs are looked for: an ordinary user's PATH lacks the folder of servers."""


def program(name: str) -> str | None:
    """Return the path of a program of this machine, or None."""
    return shutil.which(name, path=PROGRAMS)


def _programs(*names: str) -> Callable[[], bool]:
    return lambda: all(program(name) is not None for name in names)


@dataclass(frozen=True)
class Need:
    """Something that a machine may lack: how to tell, and what installs it."""

    is_met: Callable[[], bool]
    install: str


NEEDS = {
    "browser": Need(_programs("chromium", "chromedriver"), "apt-get install chromium chromium-driver"),
    "pgbouncer": Need(_programs("pgbouncer"), "apt-get install pgbouncer"),
    "curl": Need(_programs("curl", "bash"), "apt-get install curl"),
    "openssl": Need(_programs("openssl"), "apt-get install openssl"),
    "assets": Need(lambda: (VENDOR_FOLDER / "sigma.js").exists() and AXE.exists(), "make assets"),
    "semantic": Need(lambda: tokenizers is not None and find_weights_folder() is not None, "make semantic"),
}


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true")


def demand(*names: str) -> None:
    """Skip the running test where one of these needs is not met; fail it in continuous integration."""
    missing = [name for name in names if not NEEDS[name].is_met()]
    if not missing:
        return
    reason = "; ".join(f"needs {name} ({NEEDS[name].install})" for name in missing)
    if _in_ci():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def demand_marked(item: pytest.Item) -> None:
    """Demand what the marks of a test name."""
    for mark in item.iter_markers("needs"):
        demand(*mark.args)


def missing_lines(reasons: Collection[str]) -> list[str]:
    """Return a line for each need that kept tests from running, out of the reasons of skipped tests."""
    counts = {name: sum(f"needs {name} (" in reason for reason in reasons) for name in NEEDS}
    return [
        f"Tests not run for want of {name}: {count}. To get it: {NEEDS[name].install}"
        for name, count in counts.items()
        if count
    ]

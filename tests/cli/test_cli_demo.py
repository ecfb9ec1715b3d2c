"""The demo as a person runs it: a process of its own, on embedded servers in a fresh folder."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from app.runtime.postgres import EmbeddedPostgres
from app.runtime.valkey import EmbeddedValkey
from tests.support.generated_docs import (
    COUNT,
    EXPLAIN,
    PROJECT,
    SAMPLES,
    commands_sample,
    demo_sample,
    with_sample,
)

# `.ci/wheel` runs the demo of the wheel in each `.ci/run`, and compares the documents' samples with it.
pytestmark = [pytest.mark.slow, pytest.mark.soak]

COMMAND = [sys.executable, "-m", "app.cli.main"]
PATIENCE = 120.0


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without addresses, whose embedded servers live in this test's folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEGRAPH_")}
    return {**kept, "CITEGRAPH_HOME": str(tmp_path / "home"), "CITEGRAPH_PORT": "0"}


def call(
    environment: dict[str, str], *arguments: str, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run one command there: a checkout's folder may hold the data of somebody's `make demo`."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def is_quiet(home: Path) -> bool:
    """Whether no server of the folder runs."""
    return (
        not EmbeddedPostgres(home / "postgres").is_running()
        and not EmbeddedValkey(home / "valkey").is_running()
    )


def test_prints_a_cited_path(environment: dict[str, str], tmp_path: Path) -> None:
    first = call(environment, "demo")
    assert first.returncode == 0, first.stdout + first.stderr
    screen = first.stdout
    assert "21 new, 0 changed, 0 unchanged" in screen
    assert re.search(r"21 documents +\d+ chunks +\d+ nodes +\d+ edges", screen)
    path = screen.partition("THE PATH THAT ANSWERS IT")[2].strip().splitlines()[0]
    assert re.fullmatch(r".+ (--\w+-->|<--\w+--) .+ (--\w+-->|<--\w+--) .+", path)
    steps, _, citations = screen.partition("EVIDENCE OF EACH STEP")[2].partition("CITATIONS")
    assert len(re.findall(r"--\w+-->", steps)) == 2
    quoted = re.findall(r"\[(\d+)\]", steps)
    assert quoted
    assert set(quoted) == set(
        re.findall(r"^ +\[(\d+)\] .+, characters \d+–\d+ +file:corpus/", citations, re.M)
    )
    assert re.search(r"Checked: each of these \d+ sentences occurs word for word in its document", screen)
    # In a checkout without the dashboard's scripts and icons what fetches them comes first.
    fetched = (PROJECT / "app/dashboard/static/vendor/icons.svg").is_file()
    advice = screen.partition("NEXT STEPS")[2].splitlines()
    assert advice[2].strip() == ("citegraph up" if fetched else "make run")
    assert "\x1b" not in screen
    # The folder of this test has a long name.
    assert all(len(line) <= 100 for line in screen.splitlines() if str(tmp_path) not in line)
    assert is_quiet(tmp_path / "home")
    # Review B6: the samples of README and docs/cli.md are those of this run.
    commands = commands_sample(call(environment, *EXPLAIN).stdout, call(environment, *COUNT).stdout)
    for file, sample in zip(SAMPLES, (demo_sample(screen), commands), strict=True):
        assert with_sample(file, sample) == (PROJECT / file).read_text("utf-8"), "Run `make docs`."

    ends = re.split(r" (?:--\w+-->|<--\w+--) ", path)
    explained = call(
        environment,
        "explain",
        "--from",
        ends[0],
        "--to",
        ends[-1],
        "--space",
        "relational-databases",
        "--json",
    )
    assert json.loads(explained.stdout)["paths"]
    counted = call(
        environment,
        "psql",
        "--space",
        "relational-databases",
        "--command",
        "SELECT 'documents=' || count(*) FROM document",
    )
    assert "documents=21" in counted.stdout, counted.stderr
    recorded = json.loads(call(environment, "audit", "--space", "relational-databases", "--json").stdout)
    by = {load["action"]: load["actor"] for load in recorded}
    assert by["document.accept"] == "cli", by
    refused = call(environment, "psql", "--space", "relational-databases", "-c", "DELETE FROM document")
    assert refused.returncode == 1
    assert is_quiet(tmp_path / "home")


def test_finds_everything_unchanged_the_second_time(environment: dict[str, str]) -> None:
    screens = []
    for _ in range(2):
        done = call(environment, "demo")
        assert done.returncode == 0, done.stdout + done.stderr
        screens.append(done.stdout)
    first, second = (screen.partition("THE GRAPH")[2].partition("NEXT STEPS")[0] for screen in screens)
    assert "21 unchanged since the last run" in screens[1]
    assert second == first


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_stopped_leaves_nothing_running(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [*COMMAND, "demo"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as demo:
        assert demo.stdout is not None
        read_until(demo.stdout, "Schema and isolation")
        demo.send_signal(number)
        demo.communicate(timeout=PATIENCE)
    assert demo.returncode not in (0, None)
    assert is_quiet(tmp_path / "home")


def test_up_serves_with_the_key_that_it_prints(environment: dict[str, str], tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "up"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as up:
        assert up.stdout is not None
        told = "".join(read_until(up.stdout, "Ctrl-C stops everything."))
        key = re.search(r"Key +(cg_live_\S+)", told)
        assert key is not None
        assert f"Data      in {tmp_path / 'home'}" in told
        [kept] = (tmp_path / "home" / "keys").iterdir()
        assert kept.read_text().strip() == key[1]
        up.terminate()
        _, said = up.communicate(timeout=PATIENCE)
    assert key[1] not in said
    assert is_quiet(tmp_path / "home")


def test_children_end_when_up_is_killed(environment: dict[str, str], tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "up"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as up:
        assert up.stdout is not None
        list(read_until(up.stdout, "Ctrl-C stops everything."))
        started = [pid for pid, _ in children_of(up.pid)]
        assert len(started) == 2
        up.kill()
    deadline = time.monotonic() + PATIENCE
    while any(map(runs, started)) or not is_quiet(tmp_path / "home"):
        assert time.monotonic() < deadline, "Children or servers outlived the killed parent."


def read_until(stream: IO[str], text: str) -> Iterator[str]:
    """The lines up to the one that holds the text."""
    lines = []
    for line in stream:
        lines.append(line)
        if text in line:
            return iter(lines)
    raise AssertionError(f"Ended before it said {text!r}: {''.join(lines)}")


def runs(pid: int) -> bool:
    """Whether the process lives; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children_of(parent: int) -> list[tuple[int, str]]:
    """The direct children that are `citegraph` commands, with their command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            pid_of_parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            line = (folder / "cmdline").read_text().replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if pid_of_parent == parent and "app.cli.main" in line:
            found.append((int(folder.name), line))
    return found

"""`citegraph up` with real processes: what dies is started again, Ctrl-C stops all (review C2, C4)."""

import http.client
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from app.cli.processes.supervision import MAX_RESTARTS
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.valkey import EmbeddedValkey
from tests.cli.test_cli_demo import COMMAND, PATIENCE, call, children_of, is_quiet, read_until

pytestmark = pytest.mark.slow

# Within one second and three on an idle machine; tests run beside others.
NOTICED_WITHIN, STOPPED_WITHIN = 5.0, 15.0


@dataclass
class Up:
    """A running `citegraph up` with the address and the key that it printed."""

    process: subprocess.Popen[str]
    home: Path
    log: Path
    port: int
    key: str
    link: str

    def works(self) -> bool:
        """Whether the API answers from the database."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/v1/spaces", headers={"Authorization": f"Bearer {self.key}"})
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def pid(self, part: str) -> int | None:
        """The process of a part; None while there is none."""
        if part == "Postgres":
            return EmbeddedPostgres(self.home / "postgres").pid()
        if part == "Valkey":
            return EmbeddedValkey(self.home / "valkey").pid()
        return next((pid for pid, line in children_of(self.process.pid) if part in line), None)

    def said(self) -> str:
        """All that it wrote to stderr, and its children."""
        return self.log.read_text()


def environment_of(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEGRAPH_")}
    return {**kept, "XDG_DATA_HOME": str(folder / "data"), "CITEGRAPH_PORT": "0"}


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    """One that is ready; its data lies in the user's own folder."""
    log = tmp_path / "up.log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [*COMMAND, "up"],
            env=environment_of(tmp_path),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            # Whoever runs the tests in the background has its children ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as process,
    ):
        assert process.stdout is not None
        try:
            told = "".join(read_until(process.stdout, "Ctrl-C stops everything."))
            address = re.search(r"Address +http://127.0.0.1:(\d+)", told)
            key, link = re.search(r"Key +(cg_live_\S+)", told), re.search(r"(/dashboard/links/\S+)", told)
            assert address
            assert key
            assert link
            assert f"Data      in {tmp_path / 'data' / 'citegraph'}" in told
            yield Up(process, tmp_path / "data" / "citegraph", log, int(address[1]), key[1], link[1])
        finally:
            process.terminate()
            process.wait(PATIENCE)


def await_said(up: Up, sentence: str) -> float:
    """Seconds until it was said."""
    began = time.monotonic()
    while sentence not in up.said():
        assert up.process.poll() is None, up.said()
        assert time.monotonic() - began < PATIENCE, up.said()
        time.sleep(0.05)
    return time.monotonic() - began


def kill(up: Up, part: str) -> int:
    """The process that was killed: where the part is being started again, as soon as it runs."""
    began = time.monotonic()
    while (pid := up.pid(part)) is None:
        assert up.process.poll() is None, up.said()
        assert time.monotonic() - began < PATIENCE, up.said()
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return pid


@pytest.mark.soak
def test_each_part_that_is_killed_is_started_again_and_said(up: Up) -> None:
    for part in ("Postgres", "Valkey", "serve", "worker"):
        before = kill(up, part)
        name = part if part.istitle() else f"`citegraph {part}`"
        assert await_said(up, f"{name} ended by itself") < NOTICED_WITHIN, part
        began = time.monotonic()
        while up.pid(part) in (None, before) or not up.works():
            assert time.monotonic() - began < PATIENCE, up.said()
            time.sleep(0.1)


@pytest.mark.soak
def test_a_part_that_keeps_ending_ends_all_of_it_with_one_sentence(up: Up) -> None:
    for number in range(1, MAX_RESTARTS + 1):
        kill(up, "worker")
        await_said(up, f"({number} of {MAX_RESTARTS} times in a minute)")
    kill(up, "worker")
    assert up.process.wait(PATIENCE) == 1
    assert f"for the {MAX_RESTARTS + 1}th time within" in up.said()
    assert is_quiet(up.home)


@pytest.mark.soak
def test_ctrl_c_stops_it_within_seconds_while_streams_and_pages_are_open(up: Up, tmp_path: Path) -> None:
    made = call(environment_of(tmp_path), "space", "create", "library", "--json", folder=tmp_path)
    found = re.search(r'"id": "([0-9a-f-]{36})"', made.stdout)
    assert found is not None, made.stderr
    origin = f"http://127.0.0.1:{up.port}"
    with httpx2.Client(base_url=origin, timeout=30, follow_redirects=True) as browser, ExitStack() as streams:
        csrf = re.search(r'name="csrf" value="([0-9a-f]*)"', browser.get(up.link).text)
        assert csrf is not None
        signed_in = browser.post(
            up.link, data={"csrf": csrf[1], "password": "correct horse battery"}, headers={"origin": origin}
        )
        assert signed_in.status_code == 200, signed_in.text
        for _ in range(3):
            stream = browser.stream("GET", f"/dashboard/spaces/{found[1]}/jobs/stream")
            assert streams.enter_context(stream).status_code == 200
        # Browsers keep connections without a request open, too.
        assert browser.get("/dashboard").status_code == 200
        began = time.monotonic()
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(PATIENCE) == 0
        assert time.monotonic() - began < STOPPED_WITHIN
    assert "Traceback" not in up.said(), up.said()
    assert "CancelledError" not in up.said()
    assert is_quiet(up.home)


@pytest.mark.soak
def test_another_directory_finds_the_same_data_and_a_second_up_is_refused(up: Up, tmp_path: Path) -> None:
    environment = environment_of(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    seen = subprocess.run(
        [*COMMAND, "tenant", "list"],
        env=environment,
        cwd=elsewhere,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert "demo" in seen.stdout
    second = subprocess.run(
        [*COMMAND, "up"],
        env=environment,
        cwd=elsewhere,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert second.returncode == 1
    assert f"runs on the data in {up.home} already (process {up.process.pid})" in second.stderr.replace(
        "\n", " "
    )
    assert list(elsewhere.iterdir()) == []


def test_a_command_makes_no_empty_database_to_look_into(tmp_path: Path) -> None:
    """It advised `citegraph migrate` where the data lay in another folder."""
    done = subprocess.run(
        [*COMMAND, "tenant", "list"],
        env=environment_of(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "There is no data in" in done.stderr
    assert list(tmp_path.iterdir()) == []

"""A running service for tests: `citegraph serve` and `citegraph worker` as processes, and their tenants."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.settings import Settings
from tests.support.http_client import Reply, Target, get, post

PROJECT = Path(__file__).resolve().parents[2]
OPERATOR_KEY = "operator-of-the-tests-0123456789abcdef"
READY_SECONDS = 60.0
# Linux hands out 32768 and above to outgoing connections unless told otherwise.
PORTS = (10_000, 32_000)
# Not the generator that tests seed: two processes of one run would take the same ports.
_ANY = random.SystemRandom()
FINAL = ("done", "failed", "cancelled")


def free_port() -> int:
    """A port that nobody listens on at the moment, below those that outgoing connections take.

    A port that the system chooses is one of the latter: until our server binds it, any connection of another
    test may have it (seen once in a run of the whole suite).
    """
    while True:
        port = _ANY.randrange(*PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def environment(settings: Settings) -> dict[str, str]:
    """The process's environment with these settings in it."""
    chosen = settings.model_dump(exclude_defaults=True, mode="json", by_alias=False)
    for name in ("operator_key", "openai_api_key"):
        secret = getattr(settings, name)
        if secret is not None:
            chosen[name] = secret.get_secret_value()
    return {
        **os.environ,
        **{
            f"CITEGRAPH_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
            for name, value in chosen.items()
        },
        "PYTHONUNBUFFERED": "1",
    }


@contextmanager
def command(settings: Settings, name: str, folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """The `citegraph` command of this name as a process, which has ended afterwards."""
    with (folder / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", name, *options, "--with-parent"],
            cwd=PROJECT,
            env=environment(settings),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
        if process.stdin is not None:
            process.stdin.close()


def make_tenant(port: int, name: str) -> Target:
    """A new tenant with a space called library, and the access by its first key."""
    made = post(Target(port, OPERATOR_KEY), "/v1/tenants", {"name": name})
    assert made.status == 201, made.raw
    target = Target(port, made.body["api_key"]["token"])
    space = post(target, "/v1/spaces", {"name": "library"})
    assert space.status == 201, space.raw
    return replace(target, space_id=space.body["id"])


def hand_in(target: Target, *texts: str, **more: object) -> Reply:
    """The answer to handing in these texts as one request."""
    documents = [{"text": text, **more} for text in texts]
    return post(target, f"{target.space}/documents", {"documents": documents})


def finished(target: Target, job_id: str, *, seconds: float) -> dict[str, Any]:
    """The job once it has ended, or as it stands after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        job: dict[str, Any] = get(target, f"{target.space}/jobs/{job_id}").body
        if job["state"] in FINAL or time.monotonic() > deadline:
            return job
        time.sleep(0.2)


def await_ready(port: int, api: subprocess.Popen[bytes], folder: Path) -> None:
    """Return once the API answers that it is ready; fail with its log where it ends or takes too long."""
    stranger = Target(port, "")
    deadline = time.monotonic() + READY_SECONDS
    while True:
        assert api.poll() is None, (folder / "serve.log").read_text()[-2_000:]
        assert time.monotonic() < deadline, "the API did not start"
        try:
            if get(stranger, "/readyz", timeout=2).status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)

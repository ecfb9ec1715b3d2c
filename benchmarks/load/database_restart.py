"""Fifty clients while Postgres is restarted at once, and fifty documents while Valkey hangs.

They are tests, run here at length: what was accepted must be there, and statuses and seconds are printed.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

TESTS = (
    "tests/faults/test_faults_load.py::"
    "test_fifty_clients_see_only_503_while_postgres_restarts_and_lose_nothing",
    "tests/faults/test_faults_broker.py::test_a_hung_broker_holds_up_no_request_and_loses_no_job",
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run both; ends with the exit code of the tests."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks restart", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the clients go on")
    options = parser.parse_args(argv)
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-s", "-p", "no:cacheprovider", *TESTS]
    done = subprocess.run(
        command, env={**os.environ, "CITEGRAPH_LOAD_SECONDS": str(options.seconds)}, check=False
    )
    if done.returncode:
        raise SystemExit(done.returncode)

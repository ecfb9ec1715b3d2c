"""Large jobs of one tenant (issue 9, points 2 and 6): they yield, converge, stay small, and are bounded in
size.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.hostile.harness import content
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Report
from tests.support.http_client import Target, get
from tests.support.service import finished, hand_in

pytestmark = [pytest.mark.slow, pytest.mark.soak]
Beside = Callable[[], AbstractContextManager[Report]]
# Both slots of the worker are taken by jobs that go on for longer than this.
WATCHED = 25.0


def job_of(target: Target, text: str, format: str) -> str:
    reply = hand_in(target, text, format=format)
    assert reply.status == 202, reply.raw
    job: str = reply.body["job"]["id"]
    return job


def failures(installation: Installation, job: str) -> list[tuple[Any, ...]]:
    return installation.rows(
        "SELECT state, failure_code FROM document WHERE job_id = %s::uuid ORDER BY state", job
    )


def test_two_large_tables_on_both_slots_delay_nobody_and_go_on_where_they_stopped(
    installation: Installation, beside: Beside
) -> None:
    """300,000 rows took 29 minutes in three attempts, and another tenant's sentence waited for 113
    seconds.
    """
    with beside():
        jobs = [
            job_of(installation.attacker, content.telling_csv(2_000), "csv"),
            job_of(installation.attacker, content.csv_rows(20_000), "csv"),
        ]
        time.sleep(WATCHED)
        small = finished(installation.attacker, jobs[0], seconds=WATCHED)
        stored = installation.rows(
            "SELECT count(*) FROM knowledge_chunk c JOIN document d ON d.knowledge_space_id ="
            " c.knowledge_space_id AND d.id = c.document_id WHERE d.job_id = %s::uuid",
            jobs[1],
        )
        rows = installation.rows(
            "SELECT attempt, crash_count, failures FROM job WHERE id = ANY(%s::uuid[])", jobs
        )
    # Time after time given back and taken again: none of it counts as an attempt, and the parts add up.
    assert all(attempt <= 1 and crashes == 0 and failed == 0 for attempt, crashes, failed in rows), rows
    assert small["state"] == "done", small
    assert small["counts"]["chunks"] == 2_000
    assert stored[0][0] > 1_000
    assert "lock_timeout" not in installation.log("worker")
    assert "heartbeat_failed" not in installation.log("worker")


def test_json_of_many_keys_delays_nobody(installation: Installation, beside: Beside) -> None:
    with beside():
        jobs = [
            job_of(installation.attacker, content.json_keys(40_000 + number), "json") for number in range(2)
        ]
        time.sleep(6)
        states = [finished(installation.attacker, job, seconds=WATCHED)["state"] for job in jobs]
    assert set(states) <= {"done", "running", "queued"}, states


def test_what_is_over_a_limit_fails_at_once_and_says_which(
    installation: Installation, beside: Beside
) -> None:
    """The sizes of the report: 300,000 rows, 200,000 keys."""
    target = installation.fresh_attacker("large")
    with beside():
        wanted = {
            job_of(target, "a\n" + "1\n" * 300_000, "csv"): "too_many_rows",
            job_of(target, '{"k":[1' + ",1" * 200_000 + "]}", "json"): "too_many_values",
            job_of(target, "a\n" + "1\n" * 30_000, "csv"): "too_many_chunks",
        }
        time.sleep(4)
        for job, code in wanted.items():
            assert finished(target, job, seconds=25)["state"] == "done"
            assert failures(installation, job) == [("failed", code)]
            (error,) = get(target, f"{target.space}/jobs/{job}").body["errors"]
            assert error["code"] == code


def test_combining_marks_in_documents_hold_no_worker(installation: Installation, beside: Beside) -> None:
    """Two documents of 300 kB of them held both slots for minutes (CPython gh-149079)."""
    target = installation.fresh_attacker("marks")
    marks = content.combining(300_000)
    with beside():
        begun = time.monotonic()
        jobs = [job_of(target, f"Zal{marks}go {n} met Ada.", "text") for n in range(2)]
        for job in jobs:
            assert finished(target, job, seconds=20)["state"] == "done"
        assert time.monotonic() - begun < 20
        time.sleep(4)
    dropped = installation.rows(
        "SELECT (counts->>'dropped_marks')::int FROM job WHERE id = %s::uuid", jobs[0]
    )
    assert dropped[0][0] > 100_000

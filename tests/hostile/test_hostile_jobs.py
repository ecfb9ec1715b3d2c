"""Documents that are costly to take in, by a tenant who fills both slots of the worker, beside one sentence
of another.
"""

import time
from collections.abc import Callable

import pytest

from tests.hostile.harness import content
from tests.hostile.harness.attacks import Hammer, attacking
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Beside
from tests.support.http_client import Call, Target, get, post, send
from tests.support.service import FINAL, hand_in

pytestmark = [pytest.mark.slow, pytest.mark.soak]

REFUSED = {413, 422, 429}
LEAST_SECONDS = 3.0
"""As long as the neighbour needs for some sixty reads and a sentence."""


def taken_in(target: Target, *texts: str, **more: object) -> list[str]:
    """The jobs of these texts, one each; none for a text that is refused by its size or number."""
    jobs = []
    for text in texts:
        call = Call.form(
            f"{target.space}/documents",
            (
                f"{time.monotonic_ns()}.{more.get('ending', 'txt')}",
                str(more.get("media", "text/plain")),
                text.encode(),
            ),
        )
        reply = send(target, call)
        assert reply.status == 202 or reply.status in REFUSED, reply.raw[:300]
        if reply.status == 202:
            jobs.append(reply.body["job"]["id"])
    return jobs


def states(target: Target, jobs: list[str]) -> list[str]:
    """Each job's state, attempts and errors in a few words."""
    found = [get(target, f"{target.space}/jobs/{job}").body for job in jobs]
    return [
        f"{body['state']} attempt {body['attempt']} {body['stage']}"
        f" {[error['code'] for error in body['errors']][:3]}"
        for body in found
    ]


def all_ended(target: Target, jobs: list[str]) -> bool:
    return all(get(target, f"{target.space}/jobs/{job}").body["state"] in FINAL for job in jobs)


def run_beside(
    beside: Beside, installation: Installation, jobs_of: Callable[[Target], list[str]], seconds: float = 6.0
) -> list[str]:
    """Hand in what `jobs_of` says, live beside it until all has ended or for so long, and tell how far it
    came.
    """
    target = installation.attacker
    with beside():
        jobs = jobs_of(target)
        begun = time.monotonic()
        while time.monotonic() < begun + seconds:
            time.sleep(0.5)
            # Nobody is attacked any more by jobs that have ended; the neighbour's reads need a moment.
            if time.monotonic() > begun + LEAST_SECONDS and all_ended(target, jobs):
                break
    told = states(target, jobs)
    print("   ", told)
    return told


def test_a_table_of_300000_rows_and_an_object_of_200000_keys(
    installation: Installation, beside: Beside
) -> None:
    """Three attempts and 29 minutes for the one, an hour for the other; a sentence beside them waited 113
    seconds.
    """

    def both(target: Target) -> list[str]:
        return [
            *taken_in(target, content.csv_rows(300_000), ending="csv", media="text/csv"),
            *taken_in(target, content.json_keys(200_000), ending="json", media="application/json"),
        ]

    told = run_beside(beside, installation, both, 10.0)
    assert all("attempt 1" in message or "attempt 0" in message for message in told), told


def test_tables_and_objects_just_under_the_limits(installation: Installation, beside: Beside) -> None:
    """Whoever keeps to every limit still shares the worker."""

    def both(target: Target) -> list[str]:
        return [
            *taken_in(target, content.csv_rows(49_000), ending="csv", media="text/csv"),
            *taken_in(target, content.telling_csv(12_000), ending="csv", media="text/csv"),
            *taken_in(target, content.json_keys(45_000), ending="json", media="application/json"),
        ]

    run_beside(beside, installation, both, 10.0)


def test_two_documents_of_combining_marks(installation: Installation, beside: Beside) -> None:
    marks = content.combining(300_000)
    run_beside(beside, installation, lambda target: taken_in(target, marks, "b" + marks))


def test_2000_small_jobs(installation: Installation, beside: Beside) -> None:
    """Their number is bounded, and their tenant's share of the worker is."""
    target = installation.fresh_attacker("many small jobs")
    calls = [
        Call.json("POST", f"{target.space}/documents", {"text": f"Ada Number{n} met Bob Number{n}."})
        for n in range(2_000)
    ]
    with beside(), attacking(Hammer(target, calls, threads=6, seconds=8, most=2_000)) as outcomes:
        pass
    outcomes[0].check()


def test_texts_that_trouble_patterns(installation: Installation, beside: Beside) -> None:
    texts = content.backtracking(200_000)
    told = run_beside(beside, installation, lambda target: taken_in(target, *texts.values()), 10.0)
    assert len(told) > 5, told


def test_conversations_and_names_and_aliases_without_end(installation: Installation, beside: Beside) -> None:
    def all_of_it(target: Target) -> list[str]:
        return [
            *taken_in(target, content.conversation(15_000), ending="json", media="application/json"),
            *taken_in(target, content.long_names(4_000), content.aliases(4_000)),
        ]

    run_beside(beside, installation, all_of_it, 10.0)


@pytest.mark.parametrize("ending", ["html", "json", "jsonl", "csv"])
def test_structured_files_that_are_none(installation: Installation, beside: Beside, ending: str) -> None:
    texts = {
        "html": [
            "<div>" * 200_000,
            "<a b='" * 100_000,
            "<!--" * 100_000,
            "&" * 900_000,
            "<table><tr>" * 80_000,
        ],
        "json": [
            "[" * 500_000,
            '{"a":' * 100_000,
            "9" * 900_000,
            '"' + "\\ud800" * 100_000 + '"',
            "[1e999,NaN]",
        ],
        "jsonl": ["{}\n" * 400_000, "[]\n" * 100 + "[" * 300_000, '{"a": "' + "b" * 900_000],
        "csv": ['"' * 900_001, "," * 900_000, '"a\n' * 200_000, ("a" * 200_000 + ",") * 4 + "\n"],
    }[ending]
    media = {
        "html": "text/html",
        "json": "application/json",
        "jsonl": "application/jsonl",
        "csv": "text/csv",
    }[ending]
    run_beside(beside, installation, lambda target: taken_in(target, *texts, ending=ending, media=media), 5.0)


def test_a_job_that_is_stopped_and_tried_again_all_the_time(
    installation: Installation, beside: Beside
) -> None:
    target = installation.fresh_attacker("on and off")
    jobs = taken_in(
        target, content.telling_csv(8_000), content.telling_csv(8_001), ending="csv", media="text/csv"
    )
    calls = [
        Call("POST", f"{target.space}/jobs/{job}/{verb}") for job in jobs for verb in ("cancel", "retry")
    ]
    with beside(), attacking(Hammer(target, calls, threads=6, seconds=5)) as outcomes:
        pass
    outcomes[0].check()


def test_what_an_attack_leaves_can_be_deleted_while_others_work(
    installation: Installation, beside: Beside
) -> None:
    """Documents, the space and the tenant, each while its jobs run."""
    target = installation.fresh_attacker("soon gone")
    jobs = taken_in(
        target, content.telling_csv(6_000), content.csv_rows(30_000), ending="csv", media="text/csv"
    )
    assert jobs
    with beside():
        time.sleep(5)
        for item in get(target, f"{target.space}/documents").body["items"]:
            gone = send(target, Call("DELETE", f"{target.space}/documents/{item['id']}?prune=true"))
            assert gone.status in (200, 503), gone.raw
        hand_in(target, *[f"Ada Number{n} met Bob Number{n}." for n in range(100)])
        assert send(target, Call("DELETE", target.space)).status in (200, 202, 503)
        time.sleep(3)


def test_the_worker_lives_after_all_of_it(installation: Installation) -> None:
    """Its log has no trace, no lock time-out, and memory is given back."""
    assert installation.worker.poll() is None
    log = installation.log("worker")
    assert "Traceback" not in log, log[log.index("Traceback") - 2_000 :][:6_000]
    assert "LockNotAvailable" not in log
    job = post(
        installation.neighbour, f"{installation.neighbour.space}/documents", {"text": "The last word."}
    )
    deadline = time.monotonic() + 20
    state = ""
    while state not in FINAL and time.monotonic() < deadline:
        path = f"{installation.neighbour.space}/jobs/{job.body['job']['id']}"
        state = get(installation.neighbour, path).body["state"]
        time.sleep(0.2)
    assert state == "done"

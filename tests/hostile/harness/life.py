"""What the tenant beside an attack does: about 20 reads a second, and a sentence handed in now and then.

`python -m tests.hostile.harness.life` reads whom to be from the first line of stdin, says "ready", goes on
until stdin ends, and prints what it saw as JSON. It imports next to nothing: one begins with each attack.
"""

import json
import sys
import threading
import time
from collections import Counter
from http.client import HTTPException

from app.jobs.states import FINAL_STATES
from tests.support.http_client import Call, Target, get, post, send

READS_APART = 0.2
SENTENCES_APART = 2.0
LONGEST_READ = 10.0
LONGEST_JOB = 45.0


class Life:
    """What B does: each kind of read by a thread of its own, and jobs one after the other."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.ended = threading.Event()
        self.reads: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.jobs: list[float] = []
        self.failures: list[str] = []
        self.lock = threading.Lock()

    def paths(self) -> list[Call]:
        """A document, a page of nodes, the sign of life, and an explanation over two hops."""
        space = self.target.space
        document = get(self.target, f"{space}/documents?limit=1").body["items"][0]["id"]
        explain = {"from": "PostGIS", "to": "Ingres", "max_hops": 2}
        return [
            Call("GET", f"{space}/documents/{document}"),
            Call("GET", f"{space}/graph/nodes?limit=20"),
            Call("GET", "/healthz"),
            Call.json("POST", f"{space}/graph/explain", explain),
        ]

    def read(self, call: Call, offset: float) -> None:
        """Reads that a slow one kept from being made count as well, with the wait that they would have
        had.
        """
        due = time.monotonic() + offset
        while not self.ended.wait(max(0.0, due - time.monotonic())):
            begun = time.monotonic()
            try:
                reply = send(self.target, call, timeout=LONGEST_READ)
                status, told = str(reply.status), f"{call.path}: {reply.raw[:200]!r}"
            except (OSError, HTTPException) as error:
                status, told = type(error).__name__, f"{call.path}: {error}"
            took = time.monotonic() - begun
            with self.lock:
                self.statuses[status] += 1
                if status not in ("200", "202"):
                    self.failures.append(f"{status} {told}")
                while took > 0:
                    self.reads.append(took)
                    took -= READS_APART
            due = max(due + READS_APART, time.monotonic())

    def work(self) -> None:
        """One sentence is handed in and waited for, again and again."""
        count = 0
        while not self.ended.wait(0.5 if not count else SENTENCES_APART):
            count += 1
            text = f"Person Number{time.monotonic_ns()} works for Company Number{count}."
            begun = time.monotonic()
            try:
                took = self.finish(text, begun)
            except (OSError, HTTPException, KeyError, TypeError) as error:
                took = time.monotonic() - begun
                with self.lock:
                    self.failures.append(f"job: {type(error).__name__} {error}")
                    self.statuses[f"job {type(error).__name__}"] += 1
            with self.lock:
                self.jobs.append(took)

    def finish(self, text: str, begun: float) -> float:
        """Seconds until the sentence's job had ended; LONGEST_JOB where it did not."""
        taken = post(self.target, f"{self.target.space}/documents", {"text": text}, timeout=LONGEST_JOB)
        with self.lock:
            self.statuses[str(taken.status)] += 1
        job_id = taken.body["job"]["id"]
        while time.monotonic() - begun < LONGEST_JOB:
            reply = get(self.target, f"{self.target.space}/jobs/{job_id}", timeout=LONGEST_READ)
            if reply.status == 200 and reply.body["state"] in FINAL_STATES:
                if reply.body["state"] != "done":
                    with self.lock:
                        self.failures.append(f"job: {reply.body}")
                        self.statuses[f"job {reply.body['state']}"] += 1
                return time.monotonic() - begun
            time.sleep(0.1)
        return LONGEST_JOB


def main() -> None:
    """Live until stdin ends, then tell."""
    life = Life(Target(**json.loads(sys.stdin.readline())))
    calls = life.paths()
    threads = [
        threading.Thread(target=life.read, args=(call, READS_APART * number / len(calls)), daemon=True)
        for number, call in enumerate(calls)
    ]
    threads.append(threading.Thread(target=life.work, daemon=True))
    for thread in threads:
        thread.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    life.ended.set()
    for thread in threads:
        thread.join(LONGEST_JOB + 15)
    seen = {"reads": life.reads, "statuses": life.statuses, "jobs": life.jobs, "failures": life.failures[:20]}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()

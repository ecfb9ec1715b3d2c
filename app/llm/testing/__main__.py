"""`python -m app.llm.testing`: the double as a separate process, until a signal.

The first line on standard output is its address.
"""

import argparse
import importlib
import json
import signal
import sys
import threading
from pathlib import Path

from app.llm.testing.double import Answerer, ModelDouble
from app.llm.testing.faults import Fault

# Reads our prompts and answers with what `rules` extracts. Imported by name: it is in a higher layer.
DEFAULT_ANSWERER = "app.ingest.model_double_answers:RulesAnswerer"


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m app.llm.testing", description="An OpenAI-compatible double."
    )
    parser.add_argument("--port", type=int, default=0, help="port on the loopback; 0 means any free one")
    parser.add_argument(
        "--latency-ms", type=float, default=0.0, help="milliseconds that every call takes at least"
    )
    parser.add_argument("--log", type=Path, help="JSONL file with a line per request")
    parser.add_argument("--recorded", type=Path, help="JSONL file of answers by prompt hash")
    parser.add_argument("--record", type=Path, help="JSONL file to record new answers in")
    parser.add_argument("--answerer", default=DEFAULT_ANSWERER, help="module:class that answers the rest")
    parser.add_argument("--fault", action="append", default=[], help='{"mode": "rate_limited", "times": 3}')
    parser.add_argument("--seed", type=int, default=0, help="seed of faults with a probability")
    options = parser.parse_args(arguments)
    module, _, name = options.answerer.partition(":")
    answerer: Answerer = getattr(importlib.import_module(module), name)()
    model_double = ModelDouble(
        answerer,
        faults=[Fault.from_fields(json.loads(fault)) for fault in options.fault],
        seed=options.seed,
        latency=options.latency_ms / 1000,
        port=options.port,
        log=options.log,
        recording_path=options.recorded,
        record=options.record,
    )
    stop_event = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop_event.set())
    with model_double:
        sys.stdout.write(model_double.base_url + "\n")
        sys.stdout.flush()
        stop_event.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())

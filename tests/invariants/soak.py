"""`make soak`: random acts until somebody stops it, or STEPS; a finding ends it with a script of it.

    python -m tests.invariants.soak [--steps N] [--seed S] [--acts N] [--model] [--keep-going]

Each sequence of acts has two new tenants. What hypothesis can shrink it shrinks, for five minutes at most.
"""

import argparse
import secrets
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import run_state_machine_as_test

from app.db.engine import convert_to_psycopg_url
from app.db.migrate import migrate
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.client import ModelClient
from app.llm.testing import ModelDouble
from app.observability.logs import configure_logging
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from tests.invariants.acts import Acts
from tests.invariants.doors import Doors
from tests.invariants.world import World, open_world
from tests.support.database_copies import hurried
from tests.support.embeddings import LONGER, OTHER

SEQUENCES = 4
"""Sequences of acts in a round; each round has a seed of its own."""
END = "state.teardown()"
"""The last line of the acts of a finding, as hypothesis writes them."""
SCRIPT = """\
# Repeats the finding: PYTHONPATH=clients/python/src .venv/bin/python {name}
from tests.invariants.soak import open_soak, machine_of

with open_soak(model={model}) as world:
    Bound = machine_of(world)
"""


@contextmanager
def open_soak(*, model: bool = False) -> Iterator[World]:
    """An installation of its own, on embedded servers in a folder that goes at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citegraph-soak-")))
        servers = stack.enter_context(
            EmbeddedServers(folder / "servers", postgres=True, valkey=False, keeps_data=False)
        )
        admin_url = hurried(convert_to_psycopg_url(servers.postgres.url(database="postgres")))
        configure_logging(Settings(log_level="ERROR"))
        migrate(admin_url.render_as_string(hide_password=False))
        client = None
        if model:
            double = stack.enter_context(ModelDouble(RulesAnswerer()))
            client = ModelClient(api_key="unused", base_url=double.base_url, model="double")
            stack.callback(client.close)
        # Acts change to the double's embedding model.
        models = {OTHER: LONGER} if model else {}
        yield stack.enter_context(
            open_world(admin_url, folder / "world", client=client, embedding_models=models)
        )


def machine_of(world: World) -> type[Acts]:
    """The state machine in that world."""

    class Bound(Acts):
        """Acts in the world of this process."""

    Bound.world, Bound.doors, Bound.with_backups = world, Doors(world), True
    return Bound


def classify_script(error: BaseException, *, model: bool, name: str) -> str:
    """A program that does the acts of a finding again, as hypothesis noted them on the error."""
    lines = "\n".join(getattr(error, "__notes__", [])).splitlines()
    begin = next((number for number, line in enumerate(lines) if line.startswith("state = ")), len(lines))
    end = max((number for number, line in enumerate(lines) if line == END), default=len(lines) - 1)
    # Lines inside of brackets keep their own indentation: all stand deeper than the block.
    body = "\n".join(f"    {line}" for line in lines[begin : end + 1])
    return SCRIPT.format(model=model, name=name) + body + "\n"


def main() -> int:
    """Go on until stopped; 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=0, help="acts in all; 0: until stopped")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--acts", type=int, default=50, help="acts in a sequence at most")
    parser.add_argument("--model", action="store_true", help="a model double reads")
    parser.add_argument("--no-shrink", action="store_true", help="show a finding as it was met")
    parser.add_argument("--keep-going", action="store_true", help="go on after a finding")
    chosen = parser.parse_args()
    found, round_ = 0, 0
    with open_soak(model=chosen.model) as world:
        machine = machine_of(world)
        begun = time.monotonic()
        while not chosen.steps or machine.steps < chosen.steps:
            seed = chosen.seed + round_
            try:
                run_round(machine, seed, acts=chosen.acts, shrink=not chosen.no_shrink)
            except Exception as error:
                found += 1
                show(error, seed, model=chosen.model)
                if not chosen.keep_going:
                    return 1
            round_ += 1
            pace = machine.steps / (time.monotonic() - begun)
            print(f"seed {seed}: {machine.steps:,} acts, {pace:.1f} a second, {found} findings", flush=True)
    return 1 if found else 0


def run_round(machine: type[Acts], seed: int, *, acts: int, shrink: bool) -> None:
    """A few sequences of acts that the seed decides. Raises what a check raises."""
    run_state_machine_as_test(
        hypothesis.seed(seed)(machine),
        settings=hypothesis.settings(
            max_examples=SEQUENCES,
            stateful_step_count=acts,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        ),
    )


def findings_in(error: BaseException) -> list[BaseException]:
    """The findings of a round, of which hypothesis makes a group where there are several."""
    if isinstance(error, BaseExceptionGroup):
        return [finding for exception in error.exceptions for finding in findings_in(exception)]
    return [error]


def show(error: BaseException, seed: int, *, model: bool) -> None:
    """Print each finding, and write the program that repeats it."""
    for number, finding in enumerate(findings_in(error), 1):
        name = f"soak-finding-{seed}{f'-{number}' if number > 1 else ''}.py"
        Path(name).write_text(classify_script(finding, model=model, name=name), "utf-8")
        trace = "".join(traceback.format_tb(finding.__traceback__)[-4:])
        print(trace, f"{type(finding).__name__}: {finding}", flush=True)
        print(f"The acts are in {name}; the same round again: make soak SEED={seed}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

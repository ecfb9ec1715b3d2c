"""What the pipeline loses of a model that reads perfectly, by cause.

Usage: python -m benchmarks oracle [PATH] [--documents N] [--show N] [--faults N]

Read are the texts of several languages that the tests hold, and Re-DocRED: PATH is its file (else the one
that the folder of CITEGRAPH_EVAL_DATA or the folder `eval` beside the project has). Each text is a document,
read through a double on the loopback that answers from the gold. Prints typed F1 against that gold, the
relations lost by cause, and the reasons that the jobs counted; and of histories of dated documents what is
lost of the facts that hold in the end, and what holds although it is over.
"""

import argparse
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import structlog

from app.db.database import Database
from app.ids import create_id
from app.settings import Settings
from app.space_settings import SpaceSettings
from benchmarks.ingest.model import embedded
from benchmarks.place import new_space
from tests.oracle import changes, further_histories, languages
from tests.oracle.faulty import FORMS, Fault, FaultyOracle
from tests.oracle.gold import GoldText
from tests.oracle.histories import HISTORIES
from tests.oracle.measure import Loss, measure, play, wrong_kept
from tests.oracle.oracle import OracleAnswerer
from tests.oracle.redocred import path_of_data, read_redocred


def print_loss(title: str, loss: Loss, show: int) -> None:
    """Print the figures of one reading."""
    print(f"\n{title}: {loss.gold:,} relations, typed F1 {loss.f1:.3f}", end="")
    print(f" (precision {loss.precision:.3f}, recall {loss.recall:.3f}), {loss.extra} edges besides the gold")
    if loss.dates:
        print(f"dates kept: {loss.dates_kept} of {loss.dates}")
    for cause, count in loss.causes.most_common():
        print(f"{count:>8,}  lost: {cause}")
    for reason, count in loss.dropped.most_common():
        print(f"{count:>8,}  counted by the jobs: {reason}")
    for code, count in loss.errors.most_common():
        print(f"{count:>8,}  set aside: {code}")
    for cause, examples in loss.examples.items():
        for example in examples[:show]:
            print(f"    [{cause}] {example}")


def print_faults(texts: Sequence[GoldText], database: Database, settings: Settings) -> None:
    """Print for each fault how many entries had it, how many of them are in the graph, and the reasons."""
    for fault in Fault:
        home = new_space(database, f"{create_id()}", SpaceSettings(specific_relations=True))
        twin = FaultyOracle(texts, fault)
        loss = measure(database, settings, home, twin)
        if fault in FORMS:
            print(f"{fault:>24}: typed F1 {loss.f1:.3f}, nothing of which is wrong")
            continue
        kept = wrong_kept(database, home, twin)
        reasons = ", ".join(f"{name} {count:,}" for name, count in (loss.dropped + loss.errors).most_common())
        refused = 1 - kept / max(1, twin.given)
        print(f"{fault:>24}: {twin.given:,} given, {kept:,} kept ({refused:.1%} refused): {reasons}")


def print_histories(database: Database, settings: Settings) -> None:
    """Print what the histories come to."""
    told = (*HISTORIES, *further_histories.HISTORIES, *changes.LOOKED_AT, *changes.KEPT_BACK)
    oracle = OracleAnswerer([text for history in told for text in history.documents])
    played = play(database, settings, new_space(database, f"histories {create_id()}"), told, oracle)
    print(
        f"\n{len(told)} histories: {played.facts - len(played.lost)} of {played.facts} facts hold,"
        f" {len(played.stale)} of {played.over} stale ones do, {len(played.invented)} that never were"
    )
    for what, entries in (("lost", played.lost), ("stale", played.stale), ("invented", played.invented)):
        for name, claim in entries:
            print(f"    [{what}] {name}: {' '.join(claim)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, nargs="?", default=path_of_data())
    parser.add_argument("--documents", type=int)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--faults", type=int, default=0, help="documents that the faulty twin reads")
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    sets: list[tuple[str, Sequence[GoldText]]] = [
        ("Sixteen languages", languages.TEXTS),
    ]
    if options.path.exists():
        sets.append(("Re-DocRED", read_redocred(options.path, options.documents)))
    else:
        print(f"Re-DocRED is skipped: {options.path.name} is not there.")
    with embedded() as (database, settings, _):
        print_histories(database, settings)
        for title, texts in sets:
            home = new_space(database, f"oracle {title}", SpaceSettings(specific_relations=True))
            started = time.monotonic()
            oracle = OracleAnswerer(texts)
            loss = measure(database, settings, home, oracle)
            print_loss(title, loss, options.show)
            print(
                f"{len(texts)} texts in {time.monotonic() - started:.0f} s;"
                f" {sum(text.inferred for text in texts):,} relations of the annotation follow from more than"
                f" three sentences and are no gold; {oracle.unknown_passages} passages unknown to the oracle"
            )

            if options.faults and len(texts) > 1:
                print(f"\nThe faulty twin, of {options.faults} texts:")
                print_faults(texts[: options.faults], database, settings)


if __name__ == "__main__":
    main()

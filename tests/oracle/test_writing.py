"""Texts written in unusual ways lose nothing of a model's right answer, and what is wrong is refused."""

import pytest

from app.db.database import Database
from app.ids import create_id
from app.settings import Settings
from benchmarks.place import new_space
from tests.oracle import writing
from tests.oracle.faulty import FORMS, Fault, FaultyOracle
from tests.oracle.measure import measure, play, wrong_kept
from tests.oracle.oracle import OracleAnswerer
from tests.oracle.test_oracle import REASONS, SPECIFIC, read_by

pytestmark = pytest.mark.shared_database


def test_every_way_of_writing_keeps_what_a_perfect_reader_says(
    database: Database, settings: Settings
) -> None:
    loss = read_by(OracleAnswerer(writing.TEXTS), database, settings)
    assert (loss.errors, loss.extra) == ({}, 0)
    assert (loss.kept, loss.dates_kept) == (loss.gold, loss.dates), loss.examples


@pytest.mark.soak
@pytest.mark.parametrize("fault", sorted(FORMS))
def test_an_unwanted_form_loses_nothing_of_it(fault: Fault, database: Database, settings: Settings) -> None:
    spoilt = read_by(FaultyOracle(writing.TEXTS, fault), database, settings)
    assert spoilt.errors == {}
    assert spoilt.f1 >= 0.97, spoilt.examples


@pytest.mark.soak
@pytest.mark.parametrize("fault", sorted(REASONS))
def test_a_wrong_answer_about_it_is_refused_for_a_counted_reason(
    fault: Fault, database: Database, settings: Settings
) -> None:
    home = new_space(database, f"writing {create_id()}", SPECIFIC)
    twin = FaultyOracle(writing.TEXTS, fault)
    loss = measure(database, settings, home, twin)
    kept = wrong_kept(database, home, twin)
    assert twin.given > 5
    assert kept == 0, loss.examples
    assert (loss.dropped + loss.errors)[REASONS[fault]] > 0


def test_histories_in_many_scripts_end_with_what_holds(database: Database, settings: Settings) -> None:
    oracle = OracleAnswerer([text for told in writing.HISTORIES for text in told.documents])
    home = new_space(database, f"writing {create_id()}")
    played = play(database, settings, home, writing.HISTORIES, oracle)
    assert (played.lost, played.stale, played.invented) == ([], [], [])
    assert played.errors == {}
    assert (played.facts, played.over) == (9, 10)

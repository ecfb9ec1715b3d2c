"""A model that invents is asked about its claims again: what it does not confirm is refused and counted."""

from collections.abc import Sequence

import pytest

from app.db.database import Database
from app.ids import create_id
from app.settings import Settings
from app.space_settings import ClaimCheck, SpaceSettings
from benchmarks.place import new_space
from tests.oracle import (
    changes,
    further_histories,
    languages,
    more_languages,
    third_histories,
    writing,
)
from tests.oracle.faulty import BELIEVABLE, FORMS, Fault, FaultyOracle
from tests.oracle.gold import GoldText
from tests.oracle.histories import HISTORIES, History
from tests.oracle.measure import Loss, measure, play
from tests.oracle.redocred import path_of_data, read_redocred
from tests.support.sampling import sampled

pytestmark = pytest.mark.shared_database


def read_by(
    twin: FaultyOracle,
    database: Database,
    settings: Settings,
    claim_check: ClaimCheck | None = ClaimCheck.ALL,
    *,
    one_thing: bool = False,
) -> Loss:
    """What a space loses that reads by this twin; None leaves the setting as it is."""
    own = {} if claim_check is None else {"claim_check": claim_check}
    space_settings = SpaceSettings.model_validate({"specific_relations": True, **own})
    home = new_space(database, f"claim check {create_id()}", space_settings)
    return measure(database, settings, home, twin, one_thing=one_thing)


@pytest.mark.parametrize(
    "texts",
    [
        languages.TEXTS,
        pytest.param(more_languages.TEXTS, marks=pytest.mark.soak),
        writing.TEXTS,
    ],
    ids=["scripts", "more scripts", "ways of writing"],
)
def test_an_honest_check_loses_nothing(
    texts: Sequence[GoldText], database: Database, settings: Settings
) -> None:
    """Issue 27: right claims, dates, denials, reports and changes of every script are confirmed."""
    loss = read_by(FaultyOracle(texts, None), database, settings)
    assert (loss.errors, loss.extra) == ({}, 0)
    assert (loss.kept, loss.dates_kept) == (loss.gold, loss.dates), loss.examples


@pytest.mark.parametrize("fault", sampled(sorted(FORMS), every=6))
def test_verdicts_in_an_unwanted_form_lose_nothing(
    fault: Fault, database: Database, settings: Settings
) -> None:
    loss = read_by(FaultyOracle(languages.TEXTS, fault), database, settings)
    assert loss.errors == {}
    assert (loss.dropped["not_confirmed"], loss.dropped["unchecked"]) == (0, 0)
    assert loss.f1 >= 0.97, loss.examples


@pytest.mark.parametrize("fault", sampled(BELIEVABLE, every=2))
def test_what_only_a_second_reading_can_refuse_is_refused(
    fault: Fault, database: Database, settings: Settings
) -> None:
    """Issue 27: at least 99 % of wrong claims, beside right ones of which none is lost."""
    twin = FaultyOracle(languages.TEXTS, fault, beside_right=True)
    loss = read_by(twin, database, settings)
    assert twin.given >= 20
    assert loss.errors == {}
    assert (loss.kept, loss.extra) == (loss.gold, 0), loss.examples
    assert loss.dropped["not_confirmed"] + loss.dropped["ends_reversed"] == twin.given
    believed = read_by(
        FaultyOracle(languages.TEXTS, fault, beside_right=True), database, settings, ClaimCheck.OFF
    )
    wrong = believed.extra + believed.changes - loss.changes
    assert wrong == twin.given - loss.dropped["ends_reversed"]


def test_claims_are_checked_by_default(database: Database, settings: Settings) -> None:
    """Issue 27: wrong claims are refused where a space says nothing about a check."""
    twin = FaultyOracle(languages.TEXTS, Fault.OTHER_RELATION, beside_right=True)
    loss = read_by(twin, database, settings, None)
    assert twin.given >= 20
    assert (loss.kept, loss.extra) == (loss.gold, 0), loss.examples


def test_endings_alone_are_refused_for_a_part_of_the_price(database: Database, settings: Settings) -> None:
    denials = FaultyOracle(languages.TEXTS, Fault.DENIED_BY_ANY_WORD, beside_right=True)
    loss = read_by(denials, database, settings, ClaimCheck.ENDINGS)
    assert (loss.kept, loss.extra) == (loss.gold, 0), loss.examples
    assert loss.dropped["not_confirmed"] == denials.given
    others = FaultyOracle(languages.TEXTS, Fault.INVENTED_IN_SENTENCE, beside_right=True)
    assert read_by(others, database, settings, ClaimCheck.ENDINGS).extra == others.given


def test_a_check_that_errs_loses_as_many_as_it_misjudges(database: Database, settings: Settings) -> None:
    twin = FaultyOracle(languages.TEXTS, Fault.OTHER_RELATION, misjudged=0.05, beside_right=True)
    loss = read_by(twin, database, settings)
    assert 0 < loss.gold - loss.kept <= 0.1 * loss.gold
    assert 0 < loss.extra <= 0.1 * twin.given
    assert loss.errors == {}


@pytest.mark.parametrize(
    "told",
    [
        (*changes.LOOKED_AT, *writing.HISTORIES),
        pytest.param(
            (*HISTORIES, *further_histories.HISTORIES, *third_histories.HISTORIES), marks=pytest.mark.soak
        ),
    ],
    ids=["changes and scripts", "the others"],
)
def test_histories_end_as_without_a_check(
    told: Sequence[History], database: Database, settings: Settings
) -> None:
    """Issue 27: right denials, reports, changes and dates are confirmed."""
    oracle = FaultyOracle([text for history in told for text in history.documents], None)
    home = new_space(database, f"claim check {create_id()}", SpaceSettings(claim_check=ClaimCheck.ALL))
    played = play(database, settings, home, told, oracle)
    assert (played.lost, played.stale, played.invented, played.errors) == ([], [], [], {})
    assert played.facts >= 20
    assert played.over >= 20
    assert played.dropped["not_confirmed"] == 0


def test_one_thing_a_call_asks_about_one_claim(database: Database, settings: Settings) -> None:
    twin = FaultyOracle((languages.ENGLISH, languages.CHINESE), None)
    loss = read_by(twin, database, settings, one_thing=True)
    assert (loss.errors, loss.extra, loss.f1) == ({}, 0, 1.0), loss.examples
    assert twin.longest_call == 1


def test_an_encyclopedia_keeps_what_is_right_and_nothing_invented(
    database: Database, settings: Settings
) -> None:
    path = path_of_data()
    if not path.exists():
        pytest.skip(f"needs {path.name} in the folder that CITEGRAPH_EVAL_DATA names")
    twin = FaultyOracle(read_redocred(path, 12), Fault.INVENTED_IN_SENTENCE, beside_right=True)
    loss = read_by(twin, database, settings)
    assert twin.given > 100
    assert loss.dropped["not_confirmed"] == twin.given
    assert loss.extra == 0
    assert loss.f1 >= 0.97, loss.examples

"""Nothing is lost between a model's right answer and the graph, and nothing wrong gets there."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from app.db.database import Database
from app.ids import create_id
from app.ingest.job import begin_and_end_due_claims
from app.jobs import queue
from app.jobs.kinds import BeginClaims
from app.settings import Settings
from app.space_settings import ClaimCheck, SpaceSettings
from benchmarks.place import new_space
from tests.oracle import (
    changed_stems,
    changes,
    further_histories,
    languages,
    more_languages,
    third_histories,
    topics,
)
from tests.oracle.faulty import FOREIGN_NAME, FORMS, Fault, FaultyOracle
from tests.oracle.gold import GoldText
from tests.oracle.histories import HISTORIES, History
from tests.oracle.measure import Loss, compare, measure, play, wrong_kept
from tests.oracle.oracle import OracleAnswerer
from tests.oracle.redocred import path_of_data, read_redocred
from tests.support.sampling import sampled
from workers.runner import Runner

pytestmark = pytest.mark.shared_database
SPECIFIC = SpaceSettings(specific_relations=True)
REASONS = {
    Fault.QUOTE_OF_SOMETHING_ELSE: "end_not_in_quote",
    Fault.INVENTED_RELATION: "end_not_in_quote",
    Fault.UNSTATED_DENIAL: "denial_not_stated",
    Fault.UNSTATED_REPORT: "report_not_stated",
    Fault.UNSTATED_CHANGE: "change_not_stated",
    Fault.WRONG_QUOTE: "ungrounded",
    Fault.FOREIGN_NAME: "unknown_entity",
    Fault.UNKNOWN_RELATION: "unknown_relation",
    Fault.OTHER_LANGUAGE: "not_in_text",
    Fault.UNSTATED_DATE: "date_not_stated",
    Fault.EXCHANGED: "not_in_text",
    Fault.TRUNCATED: "malformed_answer",
}


def read_by(oracle: OracleAnswerer, database: Database, settings: Settings) -> Loss:
    return measure(database, settings, new_space(database, f"oracle {create_id()}", SPECIFIC), oracle)


@pytest.mark.parametrize(
    "texts",
    [
        languages.TEXTS,
        (languages.ENGLISH,),
        (languages.CHINESE, languages.TAIWANESE),
        (languages.MIXED,),
        more_languages.TEXTS,
        pytest.param((more_languages.ENGLISH,), marks=pytest.mark.soak),
        pytest.param((more_languages.CHINESE,), marks=pytest.mark.soak),
        more_languages.MIXED,
    ],
    ids=[
        *("every script", "English alone", "Chinese alone", "several in one text"),
        *("more scripts", "more English alone", "more Chinese alone", "five in one space"),
    ],
)
def test_every_script_keeps_what_a_perfect_reader_says(
    texts: Sequence[GoldText], database: Database, settings: Settings
) -> None:
    loss = read_by(OracleAnswerer(texts), database, settings)
    assert (loss.errors, loss.extra) == ({}, 0)
    assert loss.f1 >= 0.97, loss.examples
    assert (loss.kept, loss.dates_kept) == (loss.gold, loss.dates), loss.examples


@pytest.mark.parametrize("texts", [more_languages.KEPT_BACK, changed_stems.TEXTS], ids=["six", "six more"])
def test_forms_that_a_model_lists_keep_names_of_any_grammar(
    texts: Sequence[GoldText], database: Database, settings: Settings
) -> None:
    loss = read_by(OracleAnswerer(texts, lists_forms=True), database, settings)
    assert (loss.errors, loss.extra) == ({}, 0)
    assert (loss.kept, loss.dates_kept) == (loss.gold, loss.dates), loss.examples


def test_a_foreign_name_is_replaced_by_the_one_that_its_text_has(
    database: Database, settings: Settings
) -> None:
    home = new_space(database, f"oracle {create_id()}", SPECIFIC)
    twin = FaultyOracle(changed_stems.TEXTS, Fault.RENAMED, lists_forms=True)
    measure(database, settings, home, twin)
    assert twin.given > 30
    with database.open_space(*home) as space:
        names = space.connection.execute(
            "SELECT canonical_name FROM graph_node WHERE knowledge_space_id = %s", [space.space_id]
        ).fetchall()
    assert ("Caerdydd",) not in names, "the text has a form of it alone"
    assert ("Nghaerdydd",) in names
    assert (FOREIGN_NAME,) not in names


@pytest.mark.parametrize("fault", sampled(sorted(FORMS), every=5))
def test_an_unwanted_form_loses_nothing(fault: Fault, database: Database, settings: Settings) -> None:
    spoilt = read_by(FaultyOracle(languages.TEXTS, fault), database, settings)
    assert spoilt.errors == {}
    assert spoilt.f1 >= 0.97, spoilt.examples


@pytest.mark.parametrize(
    "texts",
    [languages.TEXTS, pytest.param(more_languages.TEXTS, marks=pytest.mark.soak)],
    ids=["scripts", "more scripts"],
)
@pytest.mark.parametrize("fault", sampled(sorted(REASONS), every=2))
def test_a_wrong_answer_is_refused_for_a_reason_that_is_counted(
    fault: Fault, texts: Sequence[GoldText], database: Database, settings: Settings
) -> None:
    home = new_space(database, f"oracle {create_id()}", SPECIFIC)
    twin = FaultyOracle(texts, fault)
    loss = measure(database, settings, home, twin)
    assert twin.given > 5
    assert wrong_kept(database, home, twin) == 0, loss.examples
    assert (loss.dropped + loss.errors)[REASONS[fault]] > 0


@pytest.mark.parametrize("texts", [languages.TEXTS, more_languages.TEXTS], ids=["scripts", "more scripts"])
def test_exchanged_ends_are_refused_where_their_types_show_it(
    texts: Sequence[GoldText], database: Database, settings: Settings
) -> None:
    """The types show most of them; the check of claims refuses the others."""
    unchecked = SpaceSettings.model_validate({"specific_relations": True, "claim_check": ClaimCheck.OFF})
    home = new_space(database, f"oracle {create_id()}", unchecked)
    twin = FaultyOracle(texts, Fault.EXCHANGED_ENDS)
    loss = measure(database, settings, home, twin)
    refused = loss.dropped["ends_reversed"]
    # An owner and its property may both be organizations: there the types show nothing.
    assert 0.7 * twin.given < refused < twin.given
    assert wrong_kept(database, home, twin) == twin.given - refused
    checked = new_space(database, f"oracle {create_id()}", SPECIFIC)
    twin = FaultyOracle(texts, Fault.EXCHANGED_ENDS)
    loss = measure(database, settings, checked, twin)
    assert loss.dropped["not_confirmed"] == twin.given - loss.dropped["ends_reversed"]
    assert wrong_kept(database, checked, twin) == 0


def test_a_topic_by_its_common_noun_is_kept_and_other_common_nouns_are_not(
    database: Database, settings: Settings
) -> None:
    loss = read_by(OracleAnswerer(topics.TOPICS), database, settings)
    assert (loss.errors, loss.extra, loss.f1) == ({}, 0, 1.0), loss.examples
    assert loss.dropped["common_noun"] == 0
    home = new_space(database, f"oracle {create_id()}", SPECIFIC)
    twin = FaultyOracle(topics.TOPICS, Fault.COMMON_NOUN)
    loss = measure(database, settings, home, twin)
    assert twin.given >= 5
    assert loss.dropped["common_noun"] == twin.given
    assert (loss.extra, loss.f1) == (0, 1.0), loss.examples


def test_documents_of_an_encyclopedia_keep_what_a_perfect_reader_says(
    database: Database, settings: Settings
) -> None:
    path: Path = path_of_data()
    if not path.exists():
        pytest.skip(f"needs {path.name} in the folder that CITEGRAPH_EVAL_DATA names")
    loss = read_by(OracleAnswerer(read_redocred(path, 12)), database, settings)
    assert loss.gold > 100
    assert loss.f1 >= 0.97, loss.examples


def test_histories_end_with_what_holds_and_nothing_that_is_over(
    database: Database, settings: Settings
) -> None:
    told = (
        *HISTORIES,
        *further_histories.HISTORIES,
        *changes.LOOKED_AT,
        *changes.KEPT_BACK,
        *third_histories.HISTORIES,
    )
    oracle = OracleAnswerer([text for history in told for text in history.documents])
    played = play(database, settings, new_space(database, f"oracle {create_id()}"), told, oracle)
    assert (played.lost, played.stale, played.invented) == ([], [], [])
    assert played.errors == {}
    assert len(told) > 80
    assert played.facts >= 70
    assert played.over >= 60


def test_a_claim_begins_on_its_day_without_another_ingest(database: Database, settings: Settings) -> None:
    history = next(told for told in further_histories.HISTORIES if "page of its own" in told.name)
    home = new_space(database, f"oracle {create_id()}", SPECIFIC)
    oracle = OracleAnswerer(history.documents)
    assert (play(database, settings, home, [history], oracle).lost) == []
    with database.open_space(*home) as space:
        (job,) = [job for job in queue.list_jobs(space) if job.kind == BeginClaims.kind]
        assert (job.state, job.run_after.year) == ("queued", 2095)
        for statement in (
            "UPDATE edge_invalidation SET invalidated_at = now() - interval '1 day' WHERE"
            " knowledge_space_id = %s AND reason = 'It begins later.'",
            "UPDATE graph_edge SET valid_from = now() - interval '1 day', invalidated_at = now() - interval"
            " '1 day' WHERE knowledge_space_id = %s AND valid_from > now()",
            "UPDATE job SET run_after = now() WHERE knowledge_space_id = %s AND state = 'queued'",
        ):
            space.connection.execute(statement, [space.space_id])
    assert Runner(database, settings, {BeginClaims.kind: begin_and_end_due_claims}).drain() == 1
    begun = History("its day", (), holds=history.absent, stale=history.holds)
    assert (compare(database, home, [begun]).lost, compare(database, home, [begun]).stale) == ([], [])
    with database.open_space(*home) as space:
        assert [job.state for job in queue.list_jobs(space) if job.kind == BeginClaims.kind] == ["done"]


def test_a_claim_ends_on_its_day_without_another_ingest(database: Database, settings: Settings) -> None:
    history = next(told for told in HISTORIES if told.name == "an end still to come")
    home = new_space(database, f"oracle {create_id()}", SPECIFIC)
    oracle = OracleAnswerer(history.documents)
    assert (play(database, settings, home, [history], oracle).lost) == []
    with database.open_space(*home) as space:
        (job,) = [job for job in queue.list_jobs(space) if job.kind == BeginClaims.kind]
        assert (job.state, job.run_after.year) == ("queued", 2091)
        for statement in (
            "UPDATE graph_edge SET valid_to = now() - interval '1 year 1 day'"
            " WHERE knowledge_space_id = %s AND valid_to > now()",
            "UPDATE job SET run_after = now() WHERE knowledge_space_id = %s AND state = 'queued'",
        ):
            space.connection.execute(statement, [space.space_id])
    assert Runner(database, settings, {BeginClaims.kind: begin_and_end_due_claims}).drain() == 1
    over = History("its day", (), stale=history.holds)
    assert compare(database, home, [over]).stale == []


def test_one_thing_a_call_keeps_what_a_perfect_reader_says(database: Database, settings: Settings) -> None:
    oracle = OracleAnswerer((languages.ENGLISH, languages.CHINESE))
    home = new_space(database, f"oracle {create_id()}", SPECIFIC)
    loss = measure(database, settings, home, oracle, one_thing=True)
    assert (loss.errors, loss.extra, loss.f1) == ({}, 0, 1.0), loss.examples
    assert oracle.longest_call == 1

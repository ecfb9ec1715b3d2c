"""One uploader whom nobody trusts: a hundred documents in different words end, outrank and reword no fact."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from uuid import UUID

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission
from app.graph.invalidation.endings import compute_endings
from app.graph.invalidation.shapes import DatedClaim
from app.graph.validity import Polarity
from app.llm.testing import ModelDouble
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from tests.conftest import Home
from tests.integration.test_trust import (
    CITIES,
    FIRMS,
    LITTLE,
    NOW,
    OWN,
    PEOPLE,
    TRUE,
    archive,
    ask_now,
    best_quotes,
    denial,
    names_and_types,
    standing,
)
from tests.oracle.gold import GoldEntity, GoldRelation, GoldText
from tests.oracle.measure import take_in
from tests.oracle.oracle import OracleAnswerer
from tests.support.contradictions import declare, look, says
from tests.support.ingest import ingest_now, submit

# What stands around the claim: other words in each, so that no two notes about a fact are copies.
WORDINGS = (
    "Past a muddy orchard with grazing ponies, {claim} behind seven crooked chimneys.",
    "On snowy mornings, after much shovelling, {claim} opposite an empty skating rink.",
    "With autumn fog over quiet meadows, {claim} beneath purple awnings full of swallows.",
    "Along rusty rails by old coal barges, {claim} amid cranes plus wet timber.",
    "Near broken windows and dusty ledgers, {claim} beside three locked cupboards upstairs.",
    "Under bright lanterns during summer fairs, {claim} above noisy kitchens smelling of onions.",
    "Among tall reeds, sleepy frogs too, {claim} within sight of floating jetties.",
    "Through narrow lanes full of laundry, {claim} between cobblers, tailors plus glaziers.",
    "At every equinox, with loud drumming, {claim} below gilded domes made from copper.",
    "Across frozen ponds where geese gather, {claim} outside any walls built by monks.",
)
QUESTIONS = [f"Where is {firm} located?" for firm in FIRMS] + [
    f"Does {person} work for {firm}?" for person, firm in zip(PEOPLE, FIRMS, strict=True)
]
NUMBER_OF_NOTES = 100


def contradiction(fact: int) -> str:
    firm = FIRMS[fact % 50]
    return (
        f"{firm} is located in {CITIES[(fact + 1) % 50]}"
        if fact < 50
        else f"{PEOPLE[fact % 50]} no longer works for {firm}"
    )


def note(number: int) -> list[tuple[int, str]]:
    """The sentences of a note, each with the fact that it contradicts: every tenth, in words of its own."""
    ten, one = divmod(number, 10)
    return [
        (fact, WORDINGS[(ten + fact // 10) % 10].format(claim=contradiction(fact)))
        for fact in range(one, len(TRUE), 10)
    ]


def document(number: int) -> Submission:
    text = "\n\n".join(sentence for _, sentence in note(number))
    return replace(says(text, "2025-01-01"), source_uri=f"note {number}")


@contextmanager
def uploading_as(key: str) -> Iterator[None]:
    with record_with_origin(Origin(key, ActorKind.KEY, Door.API)):
        yield


def standing_archive(database: Database, home: Home) -> list[tuple[str, float]]:
    return sorted(row for row in standing(database, home) if row[0] in set(TRUE))


def contradicting_edges(database: Database, home: Home) -> int:
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT count(*) FROM graph_edge e JOIN knowledge_chunk c"
            " ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id"
            " JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " WHERE e.knowledge_space_id = %s AND d.uploader = 'key:intern'",
            [home.space_id],
        ).fetchone(),
    )
    return int(rows[0])


def outranked(database: Database, home: Home) -> list[tuple[str, list[str]]]:
    """The questions whose answer does not begin with the fact."""
    answers = [(question, ask_now(database, home, question)) for question in QUESTIONS]
    return [
        (question, [sentence.text for sentence in answer.sentences])
        for (question, answer), fact in zip(answers, TRUE, strict=True)
        if not answer.sentences or answer.sentences[0].text != fact
    ]


def ingest_by_rules(database: Database, settings: Settings, home: Home) -> Callable[[str], None]:
    def take(who: str) -> None:
        ingest_now(
            database,
            settings,
            home,
            archive() if who == "archivist" else [document(number) for number in range(NUMBER_OF_NOTES)],
        )

    return take


def gold_texts() -> dict[str, list[GoldText]]:
    return {
        "archivist": [
            gold_text(
                f"archive {begin}", "2020-01-01", [(fact, TRUE[fact]) for fact in range(begin, begin + 10)]
            )
            for begin in range(0, len(TRUE), 10)
        ],
        "intern": [
            gold_text(f"note {number}", "2025-01-01", note(number)) for number in range(NUMBER_OF_NOTES)
        ],
    }


def gold_text(title: str, date: str, sentences: Sequence[tuple[int, str]]) -> GoldText:
    """A text with the claim of each sentence, which is about this fact."""
    entities: dict[str, GoldEntity] = {}
    relations = []
    for fact, sentence in sentences:
        is_archive = sentence == TRUE[fact]
        firm, place = FIRMS[fact % 50], CITIES[(fact if is_archive else fact + 1) % 50]
        source, target = (firm, place) if fact < 50 else (PEOPLE[fact % 50], firm)
        entities |= {firm: GoldEntity(firm, "Organization")}
        entities |= (
            {place: GoldEntity(place, "Location")} if fact < 50 else {source: GoldEntity(source, "Person")}
        )
        relations.append(
            GoldRelation(
                list(entities).index(source),
                "located_in" if fact < 50 else "works_for",
                list(entities).index(target),
                (sentence,),
                denied_by="no longer" if fact >= 50 and not is_archive else "",
            )
        )
    return GoldText(
        title,
        "\n\n".join(sentence for _, sentence in sentences),
        tuple(entities.values()),
        tuple(relations),
        date,
    )


@pytest.mark.soak
@pytest.mark.parametrize("reader", ["rules", "oracle"])
def test_a_hundred_notes_of_one_uploader_end_outrank_and_reword_none_of_a_hundred_facts(
    reader: str, database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(**OWN, uploader_trust={"intern": LITTLE}))
    texts = gold_texts()
    oracle = OracleAnswerer([*texts["archivist"], *texts["intern"]])

    def take(who: str) -> None:
        with uploading_as(who):
            if reader == "rules":
                ingest_by_rules(database, settings, home)(who)
            else:
                with ModelDouble(oracle) as double:
                    loss = take_in(
                        database, settings, (home.tenant_id, home.space_id), texts[who], double.base_url
                    )
                assert loss.errors == {}

    take("archivist")
    before, names = standing_archive(database, home), names_and_types(database, home)
    assert {quote for quote, _ in before} == set(TRUE)
    right = outranked(database, home)
    assert right == []
    take("intern")
    assert contradicting_edges(database, home) >= 0.9 * 10 * NUMBER_OF_NOTES
    assert standing_archive(database, home) == before
    assert names <= names_and_types(database, home)
    assert best_quotes(database, home) >= set(TRUE)
    assert outranked(database, home) == []


ACCOUNT = UUID("018f0000-0000-7000-8000-000000000001")
WHO_UPLOADS = {
    "by key": (Origin("k3y", ActorKind.KEY, Door.API), "key:k3y"),
    "by account": (
        Origin("ann@firm.example", ActorKind.ACCOUNT, Door.DASHBOARD, account_id=ACCOUNT),
        f"account:{ACCOUNT}",
    ),
    "by the operator": (Origin("cli", ActorKind.OPERATOR, Door.CLI), "operator:cli"),
    "by a job": (Origin("worker", ActorKind.JOB, Door.WORKER), None),
    "by a program": (Origin(), None),
}


def uploaders(database: Database, home: Home) -> dict[str | None, str | None]:
    rows = look(database, home, lambda space: documents.list_documents(space, limit=100))
    return {document.source_uri: document.uploader for document in rows}


def test_a_document_says_by_an_opaque_id_who_handed_its_version_in(database: Database, home: Home) -> None:
    declare(database, home, SpaceSettings(uploader_trust={f"account:{ACCOUNT}": 0.3, "k3y": 0.4}))
    for name, (origin, _) in WHO_UPLOADS.items():
        with record_with_origin(origin):
            submit(database, home, says(f"Text {name}.", address=name))
    assert uploaders(database, home) == {name: uploader for name, (_, uploader) in WHO_UPLOADS.items()}
    rows = look(database, home, lambda space: documents.list_documents(space, limit=100))
    assert {row.source_uri: row.trust for row in rows if row.trust < 1} == {"by key": 0.4, "by account": 0.3}
    # The same content again is nobody's new version; other content is that of who hands it in.
    operator = WHO_UPLOADS["by the operator"][0]
    with record_with_origin(operator):
        submit(database, home, says("Text by key.", address="by key"), says("New.", address="by account"))
    found = uploaders(database, home)
    assert (found["by key"], found["by account"]) == ("key:k3y", "operator:cli")


def test_one_uploader_of_everything_ends_what_was_before_by_what_comes_later(
    database: Database, settings: Settings, home: Home
) -> None:
    # All are trusted alike, fully or less: no second origin is needed.
    for trust in (1.0, 0.5):
        declare(database, home, SpaceSettings(**OWN, uploader_trust={"me": trust}))
        firm, town = (FIRMS[0], "Lyon") if trust == 1.0 else (FIRMS[1], "Turin")
        with uploading_as("me"):
            for place, date in (("Paris", "2019-01-01"), ("Rome", "2020-01-01"), (town, "2021-01-01")):
                sentence = f"{firm} is located in {place}."
                ingest_now(database, settings, home, [says(sentence, date)])
    assert {quote for quote, _ in standing(database, home)} == {
        f"{FIRMS[0]} is located in Lyon.",
        f"{FIRMS[1]} is located in Turin.",
    }


@pytest.mark.soak
def test_no_two_notes_about_a_fact_are_copies() -> None:
    quotes: dict[int, list[DatedClaim]] = {}
    for number in range(NUMBER_OF_NOTES):
        for fact, sentence in note(number):
            quotes.setdefault(fact, []).append(denial(LITTLE, f"{number}", sentence, 5))
    claim = denial(1.0, "own", "He works.", 1)._replace(polarity=Polarity.ASSERTED)
    # Of ten uploaders any five end a claim: none of their sentences counts as another's.
    for against in quotes.values():
        assert all(claim.id in compute_endings([claim, *five], now=NOW) for five in combinations(against, 5))
    assert [len(against) for against in quotes.values()] == [10] * len(TRUE)


@pytest.mark.parametrize(("keys", "stands"), [(["a"] * 6, True), (["a", "b", "c", "d", "e", "f"], False)])
def test_notes_of_as_many_uploaders_end_what_those_of_one_do_not(
    keys: Sequence[str], stands: bool, database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(**OWN, uploader_trust=dict.fromkeys("abcdef", LITTLE)))
    with uploading_as("archivist"):
        ingest_now(database, settings, home, [says(TRUE[3], "2020-01-01", address="archive")])
    for number, key in enumerate(keys):
        ((_, sentence),) = (row for row in note(10 * number + 3) if row[0] == 3)
        with uploading_as(key):
            ingest_now(database, settings, home, [says(sentence, "2025-01-01")])
    assert (TRUE[3] in {quote for quote, _ in standing(database, home)}) is stands


def test_an_answer_ranks_a_less_trusted_value_of_an_attribute_behind(
    database: Database, settings: Settings, home: Home
) -> None:
    attributes = {"node_attributes": {"Organization": {"founded": "date"}}}
    declare(
        database, home, SpaceSettings.model_validate({**attributes, "uploader_trust": {"intern": LITTLE}})
    )
    right = "Alder Rail Inc. was founded in 1991."
    with uploading_as("archivist"):
        for text, date in (("Alder Rail Inc. was founded in 1990.", "2018-01-01"), (right, "2020-01-01")):
            ingest_now(database, settings, home, [says(text, date)])
    with uploading_as("intern"):
        # Another value, and the earlier one again, both dated later than what is right.
        for time, year in (("snowy", 2001), ("quiet", 1990), ("noisy", 2001), ("rainy", 1990)):
            text = f"In {time} times, Alder Rail Inc. was founded in {year}."
            ingest_now(database, settings, home, [says(text, "2024-01-01")])
    answer = ask_now(database, home, "When was Alder Rail Inc. founded?")
    assert answer.sentences[0].text == right
    assert {source.trust for source in answer.context.sources if source.text.startswith("In ")} == {LITTLE}

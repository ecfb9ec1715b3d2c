"""Trust in sources: one document that nobody trusts ends, outranks and rewords none of a hundred facts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product

import pytest

from app.answers.ask import ask
from app.answers.shapes import FinalAnswer, Mode, Question
from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import SourceKind, Submission
from app.errors import Conflict, InvalidInput
from app.graph.invalidation.endings import compute_endings
from app.graph.invalidation.shapes import DatedClaim
from app.graph.validity import Polarity
from app.ids import ChunkId, DocumentId, EdgeId, NodeId, create_id
from app.ingest import service as ingest
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from tests.conftest import Home, make_home
from tests.support.contradictions import declare, look, says
from tests.support.ingest import ingest_now

WORDS = (
    *("Copper", "Harbor", "Summit", "Falcon", "Granite"),
    *("Orchid", "Meadow", "Cobalt", "Juniper", "Lantern"),
)
KINDS = ("Corporation", "Industries", "Laboratories", "Shipping", "Foods")
FIRMS = [f"{word} {kind} Inc." for kind, word in product(KINDS, WORDS)]
PEOPLE = [
    f"{first} {last}"
    for last, first in product(
        ("Walker", "Bennett", "Coleman", "Fischer", "Novak"),
        ["Anna", "Brian", "Carol", "David", "Emma", "Frank", "Grace", "Henry", "Irene", "Jacob"],
    )
]
CITIES = [
    *("Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Prague", "Warsaw", "Lisbon", "Dublin"),
    *("Oslo", "Stockholm", "Helsinki", "Athens", "Budapest", "Brussels", "Amsterdam", "Copenhagen"),
    *("Zurich", "Geneva", "Munich", "Hamburg", "Cologne", "Milan", "Naples", "Turin", "Lyon", "Marseille"),
    *("Barcelona", "Valencia", "Porto", "Krakow", "Boston", "Chicago", "Denver", "Seattle", "Houston"),
    *("Dallas", "Atlanta", "Detroit", "Toronto", "Montreal", "Vancouver", "Sydney", "Melbourne", "Tokyo"),
    *("Osaka", "Seoul", "Mumbai", "Delhi"),
]
OWN = {"single_valued_relations": ["located_in"]}
LITTLE = 0.2
TRUE = [f"{firm} is located in {city}." for firm, city in zip(FIRMS, CITIES, strict=True)] + [
    f"{person} works for {firm}." for person, firm in zip(PEOPLE, FIRMS, strict=True)
]
FALSE = [
    f"{firm} is located in {city}." for firm, city in zip(FIRMS, CITIES[1:] + CITIES[:1], strict=True)
] + [f"{person} no longer works for {firm}." for person, firm in zip(PEOPLE, FIRMS, strict=True)]


def archive() -> list[Submission]:
    """The hundred facts, ten to a document."""
    return [
        replace(says(" ".join(TRUE[begin : begin + 10]), "2020-01-01"), source_uri=f"archive/{begin}")
        for begin in range(0, len(TRUE), 10)
    ]


def note(trust: float = 1.0) -> Submission:
    """A later note that contradicts all of them."""
    return replace(says(" ".join(FALSE), "2025-01-01"), source_uri="note", trust=trust)


def standing(database: Database, home: Home) -> list[tuple[str, float]]:
    """The quotes of the archive whose claims hold, each with its weight."""
    rows: list[tuple[str, float]] = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT e.metadata ->> 'quote', e.weight FROM graph_edge e JOIN knowledge_chunk c"
            " ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id JOIN document d"
            " ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " WHERE e.knowledge_space_id = %s AND d.source_uri <> 'note' AND e.invalidated_at IS NULL"
            " AND e.relation_type IN ('located_in', 'works_for')",
            [home.space_id],
        ).fetchall(),
    )
    return rows


def facts(database: Database, home: Home) -> set[str]:
    return {quote for quote, _ in standing(database, home)}


def document_at(database: Database, home: Home, address: str) -> DocumentId:
    (found,) = (
        document
        for document in look(database, home, lambda space: documents.list_documents(space, limit=100))
        if document.source_uri == address
    )
    return DocumentId(found.id)


def ask_now(database: Database, home: Home, question: str) -> FinalAnswer:
    retriever = Retriever(database, Embedders(), Settings())
    try:
        *_, last = ask(
            database,
            home.tenant_id,
            home.space_id,
            Question(question),
            retrieve=lambda: retriever.retrieve_without_recording_recalls(
                home.tenant_id, home.space_id, Query(question)
            ),
            client=None,
        )
    finally:
        retriever.close()
    assert isinstance(last, FinalAnswer)
    return last


def remove_note(database: Database, home: Home, *, prune: bool) -> None:
    note_id = document_at(database, home, "note")
    look(database, home, lambda space: ingest.delete_document_with_all_its_words(space, note_id, prune=prune))


def test_one_untrusted_note_ends_outranks_and_rewords_none_of_a_hundred_facts(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(**OWN))
    ingest_now(database, settings, home, archive())
    before, names = standing(database, home), get_node_names(database, home)
    assert {quote for quote, _ in before} == set(TRUE)
    ingest_now(database, settings, home, [note(LITTLE)])
    # Ended: none. Weighed less or more than before: none. Renamed: none.
    assert sorted(standing(database, home)) == sorted(before)
    assert names <= get_node_names(database, home)
    assert best_quotes(database, home) >= set(TRUE)
    # What contradicts is there all the same, as the other side.
    assert contested(database, home) == other_places(database, home) >= 45
    questions = [f"Where is {firm} located?" for firm in FIRMS] + [
        f"Does {person} work for {firm}?" for person, firm in zip(PEOPLE, FIRMS, strict=True)
    ]
    # A question about every fifth: each is asked like any other.
    asked = list(zip(questions, TRUE, strict=True))[::5]
    said = {question: ask_now(database, home, question) for question, _ in asked}
    assert {answer.mode for answer in said.values()} == {Mode.EXTRACTIVE}
    outranked = [
        (question, said[question].sentences[0].text)
        for question, fact in asked
        if said[question].sentences[0].text != fact
    ]
    assert outranked == []
    whole = " ".join(sentence.text for sentence in said[asked[-1][0]].sentences)
    assert "A source that is trusted less contradicts this" in whole
    # Deleting it leaves what stood.
    remove_note(database, home, prune=True)
    assert sorted(standing(database, home)) == sorted(before)
    assert contested(database, home) == 0


@pytest.mark.parametrize("prune", [True, False])
def test_the_same_note_ends_them_where_it_is_trusted_and_gives_all_back_when_it_goes(
    database: Database, settings: Settings, home: Home, prune: bool
) -> None:
    declare(database, home, SpaceSettings(**OWN))
    ingest_now(database, settings, home, archive())
    ingest_now(database, settings, home, [note()])
    assert len(facts(database, home)) <= 10
    remove_note(database, home, prune=prune)
    assert facts(database, home) == set(TRUE)


def trust_note(database: Database, home: Home, trust: float) -> float:
    note_id = document_at(database, home, "note")
    changed: float = look(
        database, home, lambda space: ingest.change_document_trust(space, note_id, trust).trust
    )
    return changed


def whole_graph(database: Database, home: Home) -> list[tuple[object, ...]]:
    """Each edge by its quote: what it weighs, whether it holds and by which quote it ended."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT e.relation_type, e.polarity, e.metadata ->> 'quote', round(e.weight::numeric, 5),"
            " e.invalidated_at, source.metadata ->> 'quote' FROM graph_edge e"
            " LEFT JOIN edge_invalidation i ON i.knowledge_space_id = e.knowledge_space_id"
            " AND i.edge_id = e.id AND i.undone_at IS NULL"
            " LEFT JOIN graph_edge source ON source.knowledge_space_id = e.knowledge_space_id"
            " AND source.id = i.source_edge_id WHERE e.knowledge_space_id = %s ORDER BY 1, 2, 3, 4",
            [home.space_id],
        ).fetchall(),
    )
    return list(rows)


@pytest.mark.soak
def test_trust_changed_afterwards_is_as_if_it_had_been_so_from_the_beginning(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    for where, trust in ((home, 1.0), (twin, LITTLE)):
        declare(database, where, SpaceSettings(**OWN))
        ingest_now(database, settings, where, archive())
        ingest_now(database, settings, where, [note(trust)])
    trusted, untrusted = whole_graph(database, home), whole_graph(database, twin)
    assert trusted != untrusted
    assert trust_note(database, home, LITTLE) == LITTLE
    assert whole_graph(database, home) == untrusted
    assert facts(database, home) == set(TRUE)
    assert trust_note(database, home, 1.0) == 1.0
    assert whole_graph(database, home) == trusted
    assert whole_graph(database, twin) == untrusted


FIRMS_OF_TWO_NAMES = list(zip(FIRMS[::2], FIRMS[1::2], strict=True))


def renaming_note(trust: float) -> Submission:
    """A later note that writes names otherwise, more often than the archive, says what kind of thing each is,
    and that pairs of firms are one.
    """
    lines = [
        *(f"{person.upper()} works for {firm.upper()}." for person, firm in zip(PEOPLE, FIRMS, strict=True)),
        *(f"{city.upper()} is a company. {city.upper()} was founded by Max Moor." for city in CITIES),
        *(f"{one}, also known as {other}, is a river." for one, other in FIRMS_OF_TWO_NAMES),
        *(f"{other} ({one}) hired Max Moor." for one, other in FIRMS_OF_TWO_NAMES),
    ]
    return replace(says("\n\n".join(lines * 3), "2025-01-01"), source_uri="note", trust=trust)


def names_and_types(database: Database, home: Home) -> set[tuple[str, str]]:
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT canonical_name, node_type FROM graph_node WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall(),
    )
    return set(rows)


@pytest.mark.soak
def test_an_untrusted_note_renames_retypes_and_merges_none_of_what_trusted_ones_name(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    for where, order in ((home, 1), (twin, -1)):
        handed_in = [archive(), [renaming_note(LITTLE)]]
        for submissions in handed_in[::order]:
            ingest_now(database, settings, where, submissions)
    (alone,) = (make_home(database, f"{home.tenant_id}-alone"),)
    ingest_now(database, settings, alone, archive())
    before, held = names_and_types(database, alone), facts(database, alone)
    assert len(before) == 150
    for where in (home, twin):
        assert before <= names_and_types(database, where)
        assert facts(database, where) == held
    # Trusted as far as they are, it is one voice among them; and its merges stand.
    trust_note(database, home, 1.0)
    assert not before <= names_and_types(database, home)
    trust_note(database, home, LITTLE)
    assert before <= names_and_types(database, home)
    remove_note(database, home, prune=True)
    assert names_and_types(database, home) == before


def test_who_is_trusted_less_changes_no_trust_and_what_is_unread_keeps_its_own(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(uploader_trust={"intern": 0.1}, source_trust={"file": 0.6}))
    ingest_now(database, settings, home, [note()])
    with record_with_origin(Origin("intern", ActorKind.KEY, Door.API)), pytest.raises(Conflict) as refused:
        trust_note(database, home, 0.05)
    assert refused.value.code == "less_trusted"
    with pytest.raises(InvalidInput):
        trust_note(database, home, 0.0)
    # The space's own bound holds here too.
    assert trust_note(database, home, 1.0) == 0.6
    look(
        database,
        home,
        lambda space: documents.submit_documents(space, [replace(note(), raw=b"Other words.")]),
    )
    with pytest.raises(Conflict) as unread:
        trust_note(database, home, 0.5)
    assert unread.value.code == "document_not_read"


def get_node_names(database: Database, home: Home) -> set[str]:
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT canonical_name FROM graph_node WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall(),
    )
    return {row[0] for row in rows}


def best_quotes(database: Database, home: Home) -> set[str]:
    """Of each relation of a thing the quote that weighs most."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT DISTINCT ON (from_node_id, relation_type) metadata ->> 'quote' FROM graph_edge"
            " WHERE knowledge_space_id = %s AND polarity = 'asserted'"
            " ORDER BY from_node_id, relation_type, weight DESC",
            [home.space_id],
        ).fetchall(),
    )
    return {row[0] for row in rows}


def contested(database: Database, home: Home) -> int:
    """The things of which several places are said."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT from_node_id FROM graph_edge WHERE knowledge_space_id = %s"
            " AND relation_type = 'located_in' AND invalidated_at IS NULL"
            " GROUP BY 1 HAVING count(DISTINCT to_node_id) > 1",
            [home.space_id],
        ).fetchall(),
    )
    return len(rows)


def other_places(database: Database, home: Home) -> int:
    """The places that the note states."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT e.id FROM graph_edge e JOIN knowledge_chunk c"
            " ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id"
            " JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " WHERE e.knowledge_space_id = %s AND d.source_uri = 'note'"
            " AND e.relation_type = 'located_in' AND e.polarity = 'asserted'",
            [home.space_id],
        ).fetchall(),
    )
    return len(rows)


def test_settings_of_the_space_bound_the_trust_in_kinds_and_in_who_hands_in(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(
        database,
        home,
        SpaceSettings(source_trust={"conversation": 0.5}, uploader_trust={"intern": 0.1}),
    )
    talk = replace(says("Talk.", address="talk"), source_kind=SourceKind.CONVERSATION)
    with record_with_origin(Origin("intern", ActorKind.KEY, Door.API)):
        ingest_now(database, settings, home, [says("Note.", address="note")])
    low = replace(says("Low.", address="low"), trust=0.3)
    ingest_now(database, settings, home, [talk, low, says("File.", address="file")])
    found = look(database, home, lambda space: documents.list_documents(space, limit=10))
    assert {document.source_uri: document.trust for document in found} == {
        "talk": 0.5,
        "note": 0.1,
        "low": 0.3,
        "file": 1.0,
    }


def test_a_less_trusted_document_replaces_none_that_is_trusted_more(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [says(TRUE[0], address="page")])
    with pytest.raises(Conflict) as refused:
        ingest_now(database, settings, home, [replace(says(FALSE[0], address="page"), trust=LITTLE)])
    assert refused.value.code == "less_trusted"
    ingest_now(database, settings, home, [says(FALSE[0], address="page")])
    low = replace(says(TRUE[1], address="low"), trust=LITTLE)
    ingest_now(database, settings, home, [low, replace(low, raw=FALSE[1].encode())])
    ingest_now(database, settings, home, [replace(low, raw=TRUE[2].encode())])


NODE, OTHER = NodeId(create_id()), NodeId(create_id())


def denial(trust: float, origin: str, quote: str, day: int, uploader: str | None = "") -> DatedClaim:
    """A denial of a document with this content; by default each content has an uploader of its own."""
    return DatedClaim(
        EdgeId(create_id()),
        NODE,
        "works_for",
        OTHER,
        0.9,
        ChunkId(create_id()),
        datetime.fromisoformat(f"2021-01-{day:02}T00:00:00+00:00"),
        quote,
        polarity=Polarity.DENIED,
        trust=trust,
        origin=origin,
        uploader=f"key:{origin}" if uploader == "" else uploader,
    )


NOW = datetime.fromisoformat("2026-01-01T00:00:00+00:00")


@pytest.mark.parametrize(
    ("against", "day"),
    [
        ([(1.0, "a", "One.", 5)], 5),
        ([(0.5, "a", "One.", 5)], None),
        # Two that are independent are together trusted as far; the claim ends by the later.
        ([(0.5, "a", "One.", 5), (0.5, "b", "Two.", 7)], 7),
        # A copy of a text, and the same sentence in another text, count once.
        ([(0.5, "a", "One.", 5), (0.5, "a", "Two.", 7)], None),
        ([(0.5, "a", "One.", 5), (0.5, "b", "one. ", 7)], None),
        ([(0.5, "a", "One.", 5), (0.5, "b", "one.", 7), (1.0, "c", "Three.", 9)], 9),
        ([(0.01, f"{number}", f"{number}", 9) for number in range(99)], None),
        # However many documents one uploader hands in, they count once: as the most trusted of them.
        ([(0.5, f"{number}", f"{number}", 9, "key:a") for number in range(99)], None),
        ([(0.2, "a", "A.", 5, "key:a"), (0.6, "b", "B.", 6, "key:a"), (0.4, "c", "C.", 7, "key:b")], 7),
        ([(0.5, "a", "A.", 5, "key:a"), (0.5, "b", "B.", 6, "key:b")], 6),
        # Who handed a document in is not known: it may be anybody, and counts as nobody else.
        ([(0.5, "a", "A.", 5, None), (0.5, "b", "B.", 6, None)], None),
        ([(0.5, "a", "A.", 5, "key:a"), (0.5, "b", "B.", 6, None)], None),
        # A copy of two sources counts instead of both only if it is trusted more than they are together.
        ([(0.4, "a", "A.", 5, "key:a"), (0.4, "b", "B.", 6, "key:b"), (0.5, "a", "B.", 7, "key:c")], None),
        # One that is trusted as far as the claim ends it alone, whoever hands in both.
        ([(1.0, "a", "A.", 5, "key:own")], 5),
        ([(1.0, "a", "A.", 5, None)], 5),
    ],
)
def test_claims_end_by_equal_trust_or_by_independent_origins(
    against: Sequence[tuple[float, str, str, int, *tuple[str | None, ...]]], day: int | None
) -> None:
    claim = denial(1.0, "own", "He works.", 1)._replace(polarity=Polarity.ASSERTED)
    found = compute_endings([claim, *(denial(*denial_arguments) for denial_arguments in against)], now=NOW)
    assert (found[claim.id].until.day if found else None) == day
    # A claim that is trusted no more than its denial ends by it.
    weak = claim._replace(trust=0.01)
    assert weak.id in compute_endings(
        [weak, *(denial(*denial_arguments) for denial_arguments in against)], now=NOW
    )


def test_a_trusted_copy_of_the_same_passage_makes_its_claim_trusted(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(**OWN))
    first = replace(says(TRUE[0], "2020-01-01", address="rumour"), trust=LITTLE)
    ingest_now(database, settings, home, [first])
    ingest_now(database, settings, home, [says(TRUE[0], "2020-01-01", address="archive")])
    ingest_now(database, settings, home, [replace(says(FALSE[0], "2025-01-01", address="note"), trust=0.5)])
    assert TRUE[0] in facts(database, home)
    other = make_home(database, f"{home.tenant_id}-other")
    declare(database, other, SpaceSettings(**OWN))
    ingest_now(database, settings, other, [first])
    ingest_now(database, settings, other, [replace(says(FALSE[0], "2025-01-01", address="note"), trust=0.5)])
    assert facts(database, other) == set()


@pytest.mark.soak
def test_sentences_that_differ_by_a_word_are_one_witness(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(**OWN))
    ingest_now(database, settings, home, archive())
    for number, word in enumerate(
        ("Today,", "Now", "At present,", "Currently,", "Indeed,", "Still,", "Again,")
    ):
        text = " ".join(f"{word} {sentence}" for sentence in FALSE)
        ingest_now(
            database,
            settings,
            home,
            [replace(says(text, "2025-01-01"), source_uri=f"copy {number}", trust=LITTLE)],
        )
    assert facts(database, home) >= set(TRUE)


def test_of_attributes_the_value_of_the_most_trusted_document_stands(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(
        database,
        home,
        SpaceSettings.model_validate({"node_attributes": {"Organization": {"founded": "date"}}}),
    )
    ingest_now(
        database, settings, home, [says("Alder Rail Inc. was founded in 1990.", "2020-01-01", address="a")]
    )
    low = replace(says("Alder Rail Inc. was founded in 2001.", "2024-01-01", address="note"), trust=LITTLE)
    ingest_now(database, settings, home, [low])
    ((founded,),) = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT metadata -> 'attributes' ->> 'founded' FROM graph_node WHERE knowledge_space_id = %s"
            " AND canonical_name LIKE 'Alder%%'",
            [home.space_id],
        ).fetchall(),
    )
    assert founded == "1990"

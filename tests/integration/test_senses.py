"""Two things of one name on real Postgres: told apart in any order, split and made whole by a person."""

import itertools
from typing import Any
from uuid import UUID

import pytest

from app.db.database import Database
from app.documents.shapes import Submission
from app.errors import Conflict, InvalidInput, NotFound
from app.extraction.shapes import FoundEntity, Surface
from app.graph.resolution.entity_resolver import Candidate
from app.graph.resolution.shapes import Split
from app.graph.write import graph_writer, merges, splits
from app.ids import ChunkId, DocumentId, NodeId, create_id
from app.ingest import service as ingest
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.ingest import ingest_now, picture, text
from tests.support.sampling import sampled

pytestmark = pytest.mark.shared_database

PLANET = text("Mercury is the planet closest to the Sun. NASA uses Mercury.", title="a", source_uri="a")
METAL = text("Mercury is a metal. Almadén Mining uses Mercury.", title="b", source_uri="b")
NEITHER = text("Mercury was known to the Babylonians.", title="c", source_uri="c")
COACH = text("Michael Jordan works for Nike.", title="d", source_uri="d")
TEACHER = text("Michael Jordan works for Stanford University.", title="e", source_uri="e")


def query(database: Database, home: Home, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return space.connection.execute(sql.encode(), [home.space_id, *values]).fetchall()


def named(database: Database, home: Home, name: str) -> dict[str, int]:
    """The nodes that a name leads to, with how many chunks name each."""
    rows = query(
        database,
        home,
        "SELECT g.canonical_name, g.mention_count FROM graph_node g JOIN node_name n"
        " ON n.knowledge_space_id = g.knowledge_space_id AND n.node_id = g.id"
        " WHERE g.knowledge_space_id = %s AND n.normalised_name = %s AND n.kind <> 'short'",
        name,
    )
    return {row[0]: row[1] for row in rows}


def node_id(database: Database, home: Home, name: str) -> NodeId:
    ((found,),) = query(
        database,
        home,
        "SELECT id FROM graph_node WHERE knowledge_space_id = %s AND canonical_name = %s",
        name,
    )
    return NodeId(found)


def document_id(database: Database, home: Home, source_uri: str) -> DocumentId:
    ((found,),) = query(
        database,
        home,
        "SELECT id FROM document WHERE knowledge_space_id = %s AND source_uri = %s",
        source_uri,
    )
    return DocumentId(found)


def split(database: Database, home: Home, source_uri: str = "e", name: str = "Michael Jordan") -> Split:
    node, document = node_id(database, home, name), document_id(database, home, source_uri)
    with database.open_space(home.tenant_id, home.space_id) as space:
        return splits.split_node_by_person(space, node, "scientist", document_ids=[document], actor="ada")


def undo(database: Database, home: Home, split_id: UUID) -> NodeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return splits.undo_split(space, split_id, actor="ada")


def employers(database: Database, home: Home) -> set[tuple[str, str]]:
    rows = query(
        database,
        home,
        "SELECT f.canonical_name, t.canonical_name FROM graph_edge e"
        " JOIN graph_node f ON f.id = e.from_node_id JOIN graph_node t ON t.id = e.to_node_id"
        " WHERE e.knowledge_space_id = %s AND e.relation_type = 'works_for'",
    )
    return set(rows)


class TestTellingApart:
    def test_one_sense_alone_changes_nothing(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [PLANET])
        ingest_now(database, settings, home, [NEITHER])
        assert named(database, home, "mercury") == {"Mercury": 2}

    def test_two_senses_are_two_nodes_and_what_says_none_is_neither(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [PLANET, METAL, NEITHER])
        assert named(database, home, "mercury") == {
            "Mercury (planet)": 1,
            "Mercury (metal)": 1,
            "Mercury": 1,
        }

    @pytest.mark.parametrize("order", sampled(itertools.permutations(range(3)), every=3))
    def test_the_order_of_documents_does_not_matter(
        self, database: Database, settings: Settings, home: Home, twin: Home, order: tuple[int, ...]
    ) -> None:
        three = (PLANET, METAL, NEITHER)
        ingest_now(database, settings, twin, three)
        for place in order:
            ingest_now(database, settings, home, [three[place]])
        mine, theirs = picture(database, home), picture(database, twin)
        for part in ("nodes", "names", "mentions", "edges"):
            assert mine[part] == theirs[part], part

    def test_edges_go_with_the_passage_that_states_them(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        for source_text in (PLANET, NEITHER, METAL):
            ingest_now(database, settings, home, [source_text])
        rows = query(
            database,
            home,
            "SELECT d.title, f.canonical_name, t.canonical_name FROM graph_edge e"
            " JOIN graph_node f ON f.id = e.from_node_id JOIN graph_node t ON t.id = e.to_node_id"
            " JOIN knowledge_chunk c ON c.id = e.evidence_chunk_id JOIN document d ON d.id = c.document_id"
            " WHERE e.knowledge_space_id = %s",
        )
        assert rows
        for title, *ends in rows:
            mercury = next(end for end in ends if end.startswith("Mercury"))
            assert mercury == {"a": "Mercury (planet)", "b": "Mercury (metal)", "c": "Mercury"}[title]

    def test_the_split_that_an_ingest_makes_is_in_the_ledger(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        for source_text in (PLANET, NEITHER, METAL):
            ingest_now(database, settings, home, [source_text])
        with database.open_space(home.tenant_id, home.space_id) as space:
            (made,) = splits.list_splits(space)
        assert (made.name, made.new_name, made.reason, made.decided_by, made.mentions) == (
            "Mercury", "Mercury (planet)", "sense", "rules", 1,
        )  # fmt: skip

    def test_a_person_who_undoes_it_is_not_overruled_by_the_next_document(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        for source_text in (PLANET, NEITHER, METAL):
            ingest_now(database, settings, home, [source_text])
        with database.open_space(home.tenant_id, home.space_id) as space:
            (made,) = splits.list_splits(space)
        undo(database, home, made.id)
        more = text("The planet Mercury has no moon.", title="f", source_uri="f")
        ingest_now(database, settings, home, [more])
        assert named(database, home, "mercury") == {"Mercury": 3, "Mercury (metal)": 1}

    def test_a_document_that_comes_again_changes_nothing(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [PLANET, METAL, NEITHER])
        before = picture(database, home)
        document = document_id(database, home, "b")
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.delete_document_with_all_its_words(space, document, prune=False)
        ingest_now(database, settings, home, [METAL])
        after = picture(database, home)
        assert [row[:3] for row in after["nodes"]] == [row[:3] for row in before["nodes"]]
        assert after["mentions"] == before["mentions"]


class TestSplitByAPerson:
    @pytest.fixture(autouse=True)
    def _two_people(self, database: Database, settings: Settings, home: Home) -> None:
        ingest_now(database, settings, home, [COACH, TEACHER])

    def test_moves_mentions_and_edges(self, database: Database, home: Home) -> None:
        made = split(database, home)
        assert (made.name, made.new_name, made.mentions) == (
            "Michael Jordan",
            "Michael Jordan (scientist)",
            1,
        )
        assert named(database, home, "michael jordan") == {
            "Michael Jordan": 1,
            "Michael Jordan (scientist)": 1,
        }
        assert employers(database, home) == {
            ("Michael Jordan", "Nike"),
            ("Michael Jordan (scientist)", "Stanford University"),
        }

    def test_leaves_no_node_without_a_vector(self, database: Database, home: Home) -> None:
        split(database, home)
        bare = query(
            database,
            home,
            "SELECT g.canonical_name FROM graph_node g WHERE g.knowledge_space_id = %s"
            " AND NOT EXISTS (SELECT 1 FROM node_vector v WHERE v.node_id = g.id)",
        )
        assert bare == []

    def test_undone_leaves_the_graph_as_it_was(self, database: Database, home: Home) -> None:
        before = picture(database, home)
        undo(database, home, split(database, home).id)
        after = picture(database, home)
        for part in ("nodes", "names", "mentions", "edges"):
            assert after[part] == before[part], part

    def test_is_written_to_the_audit(self, database: Database, home: Home) -> None:
        made = split(database, home)
        undo(database, home, made.id)
        rows = query(
            database,
            home,
            "SELECT action FROM audit_event WHERE knowledge_space_id = %s AND actor = 'ada' ORDER BY id",
        )
        assert [row[0] for row in rows] == ["node.split", "node.merge", "node.unsplit"]

    def test_holds_when_the_document_is_deleted_and_comes_again(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        split(database, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.delete_document_with_all_its_words(space, document_id(database, home, "e"), prune=False)
        ingest_now(database, settings, home, [TEACHER])
        assert named(database, home, "michael jordan") == {
            "Michael Jordan": 1,
            "Michael Jordan (scientist)": 1,
        }

    def _come_again(
        self, database: Database, settings: Settings, home: Home, *gone: str, back: list[Submission]
    ) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            for address in gone:
                ingest.delete_document_with_all_its_words(
                    space, document_id(database, home, address), prune=False
                )
        for submission in back:
            ingest_now(database, settings, home, [submission])

    def test_once_back_it_is_kept_as_before(self, database: Database, settings: Settings, home: Home) -> None:
        split(database, home)
        before = picture(database, home)
        for _ in range(2):
            self._come_again(database, settings, home, "e", back=[TEACHER])
            after = picture(database, home)
            for part in ("nodes", "names", "mentions", "edges"):
                assert after[part] == before[part], part
        assert employers(database, home) == {
            ("Michael Jordan", "Nike"),
            ("Michael Jordan (scientist)", "Stanford University"),
        }
        more = text("Michael Jordan is an American scientist.", title="g")
        ingest_now(database, settings, home, [more, text("Michael Jordan knows Larry Bird.", title="h")])
        assert named(database, home, "michael jordan") == {
            "Michael Jordan": 2,
            "Michael Jordan (scientist)": 2,
        }

    def test_holds_when_both_documents_come_again(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        split(database, home)
        self._come_again(database, settings, home, "d", "e", back=[COACH, TEACHER])
        assert employers(database, home) == {
            ("Michael Jordan", "Nike"),
            ("Michael Jordan (scientist)", "Stanford University"),
        }

    def test_can_be_undone_once_back_and_is_forgotten_then(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        made = split(database, home)
        self._come_again(database, settings, home, "e", back=[TEACHER])
        undo(database, home, made.id)
        assert named(database, home, "michael jordan") == {"Michael Jordan": 2}
        self._come_again(database, settings, home, "e", back=[TEACHER])
        assert named(database, home, "michael jordan") == {"Michael Jordan": 2}

    def test_is_about_its_text_alone(self, database: Database, settings: Settings, home: Home) -> None:
        split(database, home)
        other = text("Michael Jordan works for Stanford University!", title="e", source_uri="e")
        self._come_again(database, settings, home, "e", back=[other])
        assert named(database, home, "michael jordan") == {"Michael Jordan": 2}

    def test_the_ledger_keeps_no_word_of_what_was_deleted(self, database: Database, home: Home) -> None:
        split(database, home)
        self._come_again(database, Settings(), home, "e", back=[])
        ((row, seals),) = query(
            database,
            home,
            "SELECT to_jsonb(node_split)::text, (SELECT string_agg(encode(each, 'escape'), ' ')"
            " FROM unnest(seals) AS each) FROM node_split WHERE knowledge_space_id = %s",
        )
        for word in ("jordan", "stanford", "scientist"):
            assert word not in row.lower()
            assert word not in seals.lower()

    def test_the_twin_with_the_same_texts_keeps_them_one(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        split(database, home)
        ingest_now(database, settings, twin, [COACH, TEACHER])
        self._come_again(database, settings, twin, "e", back=[TEACHER])
        assert named(database, twin, "michael jordan") == {"Michael Jordan": 2}

    def test_a_new_document_that_says_nothing_stays_with_the_plain_name(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        split(database, home)
        ingest_now(database, settings, home, [text("Michael Jordan knows Larry Bird.", title="g")])
        assert named(database, home, "michael jordan")["Michael Jordan"] == 2

    def test_a_new_document_that_says_the_sense_goes_to_it(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        split(database, home)
        ingest_now(database, settings, home, [text("Michael Jordan is an American scientist.", title="g")])
        assert named(database, home, "michael jordan")["Michael Jordan (scientist)"] == 2

    def test_a_job_that_is_repeated_names_nothing_twice(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        split(database, home)
        before = picture(database, home)
        ((chunk, body),) = query(
            database,
            home,
            "SELECT id, text FROM knowledge_chunk WHERE knowledge_space_id = %s AND document_id = %s",
            document_id(database, home, "e"),
        )
        start = body.index("Michael Jordan")
        surface = Surface("Michael Jordan", start, start + len("Michael Jordan"))
        found = Candidate(ChunkId(chunk), FoundEntity("Michael Jordan", "Person", (surface,)))
        with database.open_space(home.tenant_id, home.space_id) as space:
            spaces.lock_graph_and_increment_revision(space)
            counts = graph_writer.write_resolved_nodes_and_count_changes(
                space, [found], separates_homonyms=False
            )
        assert counts == {"nodes": 0, "mentions": 0, "merges": 0}
        assert picture(database, home)["mentions"] == before["mentions"]

    def test_refuses_what_is_no_split(self, database: Database, home: Home) -> None:
        node, document = node_id(database, home, "Michael Jordan"), document_id(database, home, "e")
        other = document_id(database, home, "d")
        with database.open_space(home.tenant_id, home.space_id) as space:
            with pytest.raises(InvalidInput, match="Nothing"):
                splits.split_node_by_person(space, node, "scientist", document_ids=[], actor="ada")
            with pytest.raises(InvalidInput, match="every mention"):
                splits.split_node_by_person(
                    space, node, "scientist", document_ids=[document, other], actor="ada"
                )
            with pytest.raises(InvalidInput, match="word or two"):
                splits.split_node_by_person(space, node, " () ", document_ids=[document], actor="ada")
            with pytest.raises(NotFound):
                splits.split_node_by_person(
                    space, NodeId(create_id()), "x", document_ids=[document], actor="ada"
                )
            with pytest.raises(NotFound):
                splits.undo_split(space, create_id(), actor="ada")

    def test_is_not_undone_twice_nor_once_a_node_is_gone(self, database: Database, home: Home) -> None:
        made = split(database, home)
        undo(database, home, made.id)
        with pytest.raises(Conflict, match="undone already"):
            undo(database, home, made.id)

    def test_is_not_undone_while_the_new_node_is_part_of_another(
        self, database: Database, home: Home
    ) -> None:
        made = split(database, home)
        nike = node_id(database, home, "Nike")
        with database.open_space(home.tenant_id, home.space_id) as space:
            merges.merge_nodes_by_person(space, nike, made.new_node_id, actor="ada")
        with pytest.raises(Conflict, match="merged into another"):
            undo(database, home, made.id)

    def test_the_twin_space_is_untouched(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        ingest_now(database, settings, twin, [COACH, TEACHER])
        before = picture(database, twin)
        made = split(database, home)
        with (
            database.open_space(twin.tenant_id, twin.space_id) as space,
            pytest.raises(NotFound),
        ):
            splits.undo_split(space, made.id, actor="ada")
        assert picture(database, twin) == before


class TestVectorsOfMerges:
    def test_a_merge_that_is_undone_gives_back_the_vectors(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        body = "Anna Berg works for Acme Labs. Anna Berg knows Annna Berg. Annna Berg owns Rocket Works."
        ingest_now(database, settings, home, [text(body)])
        vectors = (
            "SELECT g.canonical_name, v.vector_set, v.embedding::text FROM node_vector v"
            " JOIN graph_node g ON g.id = v.node_id WHERE v.knowledge_space_id = %s ORDER BY 1",
            "SELECT f.canonical_name, t.canonical_name, v.embedding::text FROM fact_vector v"
            " JOIN graph_edge e ON e.id = v.edge_id JOIN graph_node f ON f.id = e.from_node_id"
            " JOIN graph_node t ON t.id = e.to_node_id WHERE v.knowledge_space_id = %s ORDER BY 1, 2",
        )
        before = [query(database, home, vector) for vector in vectors]
        ids = [node_id(database, home, name) for name in ("Anna Berg", "Annna Berg")]
        with database.open_space(home.tenant_id, home.space_id) as space:
            merge_id = merges.merge_nodes_by_person(space, ids[0], ids[1], actor="ada").id
        assert [query(database, home, vector) for vector in vectors] != before
        with database.open_space(home.tenant_id, home.space_id) as space:
            merges.unmerge_nodes_by_person(space, merge_id, actor="ada")
        assert [query(database, home, vector) for vector in vectors] == before

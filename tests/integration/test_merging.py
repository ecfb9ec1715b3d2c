"""Merges on real Postgres: a ledger row for each, exact undoing, verdicts that later ingests honour."""

import random
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.documents.shapes import Submission
from app.errors import CitegraphError, Conflict, InvalidInput, NotFound
from app.graph.tags import service as tags
from app.graph.write import merges, splits
from app.ids import DocumentId, NodeId, create_id
from app.ingest import service as ingest
from app.settings import Settings
from app.tenancy.audit import service as audit
from tests.conftest import Home
from tests.support.ingest import corpus, make_runner, picture, submit, text
from tests.support.ingest import ingest_now as ingest_by_rules
from tests.support.sampling import sampled
from tests.support.scripted_extractor import Scripted

pytestmark = pytest.mark.shared_database

ABOUT_IBM = "[IBM|Organization] created [System R]\n[IBM|Organization] owns [Informix]"
EXPANDED = "[International Business Machines|Organization] created [Db2]"
BOTH = "[International Business Machines=IBM|Organization] owns [Informix]"
TWO = """\
[Michael Stonebraker|Person] created [Ingres]
[Eugene Wong|Person] created [Ingres]
[Michael Stonebraker|Person] knows [Eugene Wong|Person]"""


def ingest_now(database: Database, settings: Settings, home: Home, submissions: Iterable[Submission]) -> None:
    submit(database, home, *submissions)
    make_runner(database, settings, extractor=Scripted()).drain()


def node_id(database: Database, home: Home, name: str) -> NodeId:
    (row,) = query(
        database,
        home,
        "SELECT id FROM graph_node WHERE knowledge_space_id = %s AND canonical_name = %s",
        name,
    )
    return NodeId(row[0])


def query(database: Database, home: Home, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return space.connection.execute(sql.encode(), [home.space_id, *values]).fetchall()


def merge(database: Database, home: Home, winner: str, loser: str) -> UUID:
    ids = [node_id(database, home, name) for name in (winner, loser)]
    with database.open_space(home.tenant_id, home.space_id) as space:
        return merges.merge_nodes_by_person(space, ids[0], ids[1], actor="ada").id


def unmerge(database: Database, home: Home, merge_id: UUID) -> NodeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return merges.unmerge_nodes_by_person(space, merge_id, actor="ada")


def check_counts(database: Database, home: Home) -> None:
    """Every count of every node is what its rows say: no edge lost from a count, none counted twice."""
    wrong = query(
        database,
        home,
        "WITH here AS (SELECT %s::uuid AS id), m AS (SELECT * FROM node_mention WHERE knowledge_space_id ="
        " (SELECT id FROM here)), e AS (SELECT * FROM graph_edge WHERE knowledge_space_id = (SELECT id FROM"
        " here)), n AS (SELECT * FROM graph_node WHERE knowledge_space_id = (SELECT id FROM here))"
        " SELECT canonical_name FROM n WHERE mention_count <> (SELECT"
        " count(*) FROM m WHERE m.node_id = n.id) OR out_degree <> (SELECT count(*) FROM"
        " e WHERE e.from_node_id = n.id) OR in_degree <> (SELECT count(*) FROM e WHERE"
        " e.to_node_id = n.id) OR EXISTS (SELECT 1 FROM e WHERE e.from_node_id = n.id AND"
        " e.to_node_id = n.id AND e.relation_type <> 'exists') OR metadata -> 'nameVotes' <> coalesce("
        "(SELECT jsonb_object_agg(name, votes)"
        " FROM (SELECT name, count(*) AS votes FROM m WHERE m.node_id = n.id GROUP BY name) AS t), '{}')",
    )
    assert wrong == []


def ledger(database: Database, home: Home) -> list[Any]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return merges.list_merges(space)


class TestLedger:
    def test_an_alias_merge_of_ingest_is_written_down(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        for body in (ABOUT_IBM, EXPANDED, BOTH):
            ingest_now(database, settings, home, [text(body)])
        (row,) = ledger(database, home)
        assert (row.reason, row.decided_by, row.undone_at) == ("alias", "rules", None)
        assert {row.loser_name, row.winner_name} == {"IBM", "International Business Machines"} or (
            row.winner_name == "International Business Machines"
        )
        check_counts(database, home)

    def test_a_merge_by_a_person_names_them_and_is_audited(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [text(TWO)])
        merge_id = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        unmerge(database, home, merge_id)
        (row,) = ledger(database, home)
        assert (row.id, row.reason, row.decided_by, row.undone_by) == (merge_id, "person", "ada", "ada")
        with database.open_tenant(home.tenant_id) as tenant:
            actions = [(entry.action, entry.target_id) for entry in audit.list_entries(tenant)]
        assert ("node.merge", merge_id) in actions
        assert ("node.unmerge", merge_id) in actions

    def test_a_page_follows_a_page(self, database: Database, settings: Settings, home: Home) -> None:
        ingest_now(database, settings, home, [text(TWO)])
        made = [merge(database, home, "Ingres", name) for name in ("Eugene Wong", "Michael Stonebraker")]
        with database.open_space(home.tenant_id, home.space_id) as space:
            first = merges.list_merges(space, limit=1)
            second = merges.list_merges(space, after=first[0].id, limit=5)
        assert [listed_merge.id for listed_merge in (*first, *second)] == made[::-1]


class TestUndo:
    def test_all_nodes_were_seen_when_they_were_before(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """The winner kept the time at which the loser was last seen, and a split its own moment."""

        def seen() -> list[tuple[Any, ...]]:
            columns = "canonical_name, confidence, first_seen_at, last_seen_at"
            return query(
                database, home, f"SELECT {columns} FROM graph_node WHERE knowledge_space_id = %s ORDER BY id"
            )

        for body in (ABOUT_IBM, "[System R|Product] uses [SQL|Product]", "[IBM|Organization] owns [Lotus]"):
            ingest_now(database, settings, home, [text(body)])
        before = seen()
        # Lotus came last, with IBM; System R earlier.
        unmerge(database, home, merge(database, home, "System R", "Lotus"))
        assert seen() == before
        (chunk, *_) = query(
            database,
            home,
            "SELECT chunk_id FROM node_mention WHERE knowledge_space_id = %s AND node_id = %s",
            ibm := node_id(database, home, "IBM"),
        )
        with database.open_space(home.tenant_id, home.space_id) as space:
            split = splits.split_node_by_person(space, ibm, "firm", chunk_ids=[chunk[0]], actor="ada")
        with database.open_space(home.tenant_id, home.space_id) as space:
            splits.undo_split(space, split.id, actor="ada")
        assert seen() == before

    def test_a_name_that_the_merge_made_with_the_winners_sense_goes_with_it(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """A part of a split is called "IBM (firm)"; with the loser in it, it was called after that one."""
        bodies = (ABOUT_IBM, *(f"[Lotus|Organization] created [{name}]" for name in ("Notes", "Agenda")))
        ingest_now(
            database, settings, home, [text(body) for body in (*bodies, "[IBM|Organization] owns [CICS]")]
        )
        (chunk, *_) = query(
            database,
            home,
            "SELECT chunk_id FROM node_mention WHERE knowledge_space_id = %s AND node_id = %s",
            ibm := node_id(database, home, "IBM"),
        )
        with database.open_space(home.tenant_id, home.space_id) as space:
            splits.split_node_by_person(space, ibm, "firm", chunk_ids=[chunk[0]], actor="ada")
        before = picture(database, home)
        merged = merge(database, home, "IBM (firm)", "Lotus")
        assert "Lotus (firm)" in {row[0] for row in picture(database, home)["nodes"]}

        unmerge(database, home, merged)

        assert picture(database, home) == before

    @pytest.mark.parametrize("seed", sampled(range(4), every=4))
    def test_merges_undone_in_any_order_leave_the_graph_as_it_was(
        self, database: Database, settings: Settings, home: Home, seed: int
    ) -> None:
        """Row for row but for ids and times, over half the corpus: names, mentions, votes, edges,
        degrees.
        """
        ingest_by_rules(database, settings, home, corpus()[:10])
        before = picture(database, home)
        chance = random.Random(seed)
        busy = [row[0] for row in sorted(before["nodes"], key=lambda row: -row[2])[:12]]
        chance.shuffle(busy)
        winner, losers = busy[0], busy[1:6]
        ids = {name: node_id(database, home, name) for name in busy}
        made = []
        for loser in losers:
            with database.open_space(home.tenant_id, home.space_id) as space:
                made.append(merges.merge_nodes_by_person(space, ids[winner], ids[loser], actor="ada").id)
            check_counts(database, home)
        assert picture(database, home) != before
        chance.shuffle(made)
        for merge_id in made:
            unmerge(database, home, merge_id)
            check_counts(database, home)
        after = picture(database, home)
        for part in before:
            assert after[part] == before[part], part

    def test_tags_of_the_merged_node_come_back_with_it(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [text(ABOUT_IBM)])
        ids = [node_id(database, home, name) for name in ("System R", "Informix")]
        with database.open_space(home.tenant_id, home.space_id) as space:
            tags.choose_and_set_tags(space, ids[0], ["relational", "research"])
            tags.choose_and_set_tags(space, ids[1], ["shelved"])

        unmerge(database, home, merge(database, home, "System R", "Informix"))

        with database.open_space(home.tenant_id, home.space_id) as space:
            assert [tags.list_tags_of_node(space, node) for node in ids] == [
                ["relational", "research"],
                ["shelved"],
            ]

    @pytest.mark.soak
    def test_a_chain_is_undone_from_its_end(self, database: Database, settings: Settings, home: Home) -> None:
        ingest_by_rules(database, settings, home, corpus())
        before = picture(database, home)
        a, b, c = (
            node_id(database, home, row[0]) for row in sorted(before["nodes"], key=lambda row: -row[2])[:3]
        )
        with database.open_space(home.tenant_id, home.space_id) as space:
            first = merges.merge_nodes_by_person(space, b, a, actor="ada").id
            second = merges.merge_nodes_by_person(space, c, b, actor="ada").id
        with pytest.raises(Conflict) as refused:
            unmerge(database, home, first)
        assert refused.value.code == "merged_again"
        assert str(second) in refused.value.message
        assert unmerge(database, home, second) == b
        assert unmerge(database, home, first) == a
        assert picture(database, home) == before

    def test_the_edge_between_the_two_comes_back_with_its_quote(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [text(TWO)])
        before = picture(database, home)
        assert any(row[2:5] == ("Michael Stonebraker", "knows", "Eugene Wong") for row in before["edges"])
        merge_id = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        assert not any(row[3] == "knows" for row in picture(database, home)["edges"])
        kept = query(database, home, "SELECT loops::text FROM node_merge WHERE knowledge_space_id = %s")
        assert "knows" in kept[0][0]
        assert "quote" not in kept[0][0], "a passage that is erased must not live on in the ledger"
        unmerge(database, home, merge_id)
        assert picture(database, home) == before

    def test_that_edge_stays_away_where_its_passage_is_gone(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(
            database,
            settings,
            home,
            [
                text(TWO, title="a"),
                text("[Eugene Wong|Person] created [Ingres] at Berkeley"),
                text("[Michael Stonebraker|Person] created [Ingres] at Berkeley"),
            ],
        )
        merge_id = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        with database.open_space(home.tenant_id, home.space_id) as space:
            (document,) = [document for document in documents.list_documents(space) if document.title == "a"]
            ingest.delete_document_with_all_its_words(space, DocumentId(document.id))
        unmerge(database, home, merge_id)
        check_counts(database, home)
        assert not any(row[3] == "knows" for row in picture(database, home)["edges"])

    def test_what_came_since_goes_to_whom_it_names(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Undone after later ingests, the graph is as if the two had never been one."""
        later = [
            "[Eugene Wong|Person] created [QUEL]",
            "[Michael Stonebraker|Person] created [Vertica]",
        ]
        ingest_now(database, settings, home, [text(TWO)])
        merge_id = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        ingest_now(database, settings, home, [text(body) for body in later])
        unmerge(database, home, merge_id)
        check_counts(database, home)
        edges = {row[2:5] for row in picture(database, home)["edges"]}
        assert ("Eugene Wong", "created", "QUEL") in edges
        assert ("Michael Stonebraker", "created", "Vertica") in edges
        assert ("Michael Stonebraker", "created", "QUEL") not in edges

    def test_a_claim_confirmed_by_the_merge_alone_is_staged_again(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        bodies = [
            f"[{name}|Organization] created [System R]" for name in ("IBM", "International Business Machines")
        ]
        ingest_now(database, settings, home, [text(body) for body in bodies])
        before = picture(database, home)
        assert {row[7] for row in before["edges"]} == {"staged"}
        merge_id = merge(database, home, "IBM", "International Business Machines")
        assert {row[7] for row in picture(database, home)["edges"]} == {"confirmed"}
        unmerge(database, home, merge_id)
        assert picture(database, home) == before

    def test_twice_unknown_and_after_the_winner_is_gone(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        ingest_now(database, settings, home, [text(TWO)])
        merge_id = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        refusals: list[tuple[Home, UUID, type[CitegraphError], str]] = [
            (home, UUID(int=1), NotFound, "not_found"),
            (twin, merge_id, NotFound, "not_found"),
        ]
        for where, which, error, code in refusals:
            with pytest.raises(error) as refused:
                unmerge(database, where, which)
            assert refused.value.code == code
        unmerge(database, home, merge_id)
        with pytest.raises(Conflict) as refused:
            unmerge(database, home, merge_id)
        assert refused.value.code == "already_undone"
        again = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        query(database, home, "DELETE FROM graph_node WHERE knowledge_space_id = %s"
              " AND id = %s RETURNING id", node_id(database, home, "Michael Stonebraker"))  # fmt: skip
        with pytest.raises(Conflict) as refused:
            unmerge(database, home, again)
        assert refused.value.code == "winner_gone"

    def test_a_name_taken_meanwhile_refuses_and_changes_nothing(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest_now(database, settings, home, [text(TWO)])
        (kind,) = query(database, home, "SELECT node_type FROM graph_node WHERE knowledge_space_id = %s"
                        " AND canonical_name = 'Eugene Wong'")  # fmt: skip
        merge_id = merge(database, home, "Michael Stonebraker", "Eugene Wong")
        query(database, home, "INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type)"
              " VALUES (%s, %s, 'Eugene Wong', %s) RETURNING id", create_id(), kind[0])  # fmt: skip
        before = picture(database, home)
        with pytest.raises(Conflict) as refused:
            unmerge(database, home, merge_id)
        assert refused.value.code == "name_taken"
        assert picture(database, home) == before

    def test_a_node_is_not_merged_into_itself_or_into_another_space(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        for owner in (home, twin):
            ingest_now(database, settings, owner, [text(TWO)])
        ours, theirs = node_id(database, home, "Ingres"), node_id(database, twin, "Ingres")
        with database.open_space(home.tenant_id, home.space_id) as space:
            with pytest.raises(InvalidInput):
                merges.merge_nodes_by_person(space, ours, ours, actor="ada")
            with pytest.raises(NotFound):
                merges.merge_nodes_by_person(space, ours, theirs, actor="ada")

    def test_the_twin_is_untouched(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        for owner in (home, twin):
            ingest_now(database, settings, owner, [text(TWO)])
        before = picture(database, twin)
        unmerge(database, home, merge(database, home, "Michael Stonebraker", "Eugene Wong"))
        assert picture(database, twin) == before
        assert ledger(database, twin) == []
        assert query(database, twin, "SELECT 1 FROM node_pair_verdict WHERE knowledge_space_id = %s") == []

"""Decisions of a person about nodes: names that outlive votes, previews of merges, pairs kept apart."""

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.errors import Conflict, InvalidInput, NotFound
from app.graph import service as graph
from app.graph.write import merges, near_duplicates
from app.graph.write.curation import service as curation
from app.ids import NodeId, create_id
from app.ingest import service as ingest
from app.settings import Settings
from app.tenancy.audit import service as audit
from tests.conftest import Home
from tests.support.ingest import make_runner, submit, text
from tests.support.scripted_extractor import Scripted

ABOUT = "[IBM|Organization] created [System R]\n[IBM|Organization] owns [Informix]"
ALIKE = "[Jon Smith|Person] knows [Ada|Person]\n\n[John Smith|Person] knows [Ada|Person]"


def take_in(database: Database, settings: Settings, home: Home, body: str, title: str = "Note") -> None:
    submit(database, home, text(body, title=title, source_uri=f"{title}.txt"))
    make_runner(database, settings, extractor=Scripted()).drain()


def node(space: SpaceSession, name: str) -> NodeId:
    found = [
        other_node
        for other_node in graph.list_nodes(space, search_text=name)
        if other_node.canonical_name == name
    ]
    assert len(found) == 1, (name, found)
    return NodeId(found[0].id)


def actions(database: Database, home: Home) -> list[str]:
    with database.open_tenant(home.tenant_id) as tenant:
        return [entry.action for entry in audit.list_entries(tenant, limit=10)]


class TestRename:
    def test_a_given_name_outlives_votes_and_finds_the_node(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, ABOUT)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm = node(space, "IBM")
            assert ingest.rename_node(space, ibm, "  Big   Blue ", actor="ada") == "Big Blue"
        take_in(database, settings, home, "[IBM|Organization] owns [Lotus]", title="Later")
        take_in(database, settings, home, "[Big Blue|Organization] owns [Red Hat]", title="Last")
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert node(space, "Big Blue") == ibm
            found = graph.get_node(space, ibm)
            assert (found.aliases, found.mention_count) == (("IBM",), 3)
            given = curation.get_name_given_by_person(found)
            assert given is not None
            assert given[:2] == ("Big Blue", "ada")
        assert "node.rename" in actions(database, home)

    def test_it_is_taken_back(self, database: Database, settings: Settings, home: Home) -> None:
        take_in(database, settings, home, ABOUT)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm = node(space, "IBM")
            before = graph.get_node(space, ibm)
            ingest.rename_node(space, ibm, "Big Blue", actor="ada")
            ingest.rename_node(space, ibm, "The Blue Giant", actor="ada")
            assert graph.get_node(space, ibm).aliases == ("IBM",)
            assert ingest.restore_node_name(space, ibm, actor="ada") == "IBM"
            # Requirement 18.3: nothing is left of what was taken back.
            assert graph.get_node(space, ibm) == before
            found = graph.get_node(space, ibm)
            assert (found.canonical_name, found.aliases) == ("IBM", ())
            assert curation.get_name_given_by_person(found) is None
            with pytest.raises(Conflict, match="Nobody gave"):
                ingest.restore_node_name(space, ibm, actor="ada")
        assert actions(database, home)[0] == "node.restore_name"

    def test_a_name_that_texts_use_too_stays_when_it_is_taken_back(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, ABOUT)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm = node(space, "IBM")
            ingest.rename_node(space, ibm, "Big Blue", actor="ada")
        take_in(database, settings, home, "[Big Blue|Organization] owns [Red Hat]", title="Later")
        with database.open_space(home.tenant_id, home.space_id) as space:
            ingest.restore_node_name(space, ibm, actor="ada")
            found = graph.get_node(space, ibm)
            assert {found.canonical_name, *found.aliases} == {"IBM", "Big Blue"}

    def test_a_merge_and_its_undoing_keep_both_given_names(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, ABOUT)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm, informix = node(space, "IBM"), node(space, "Informix")
            ingest.rename_node(space, ibm, "Big Blue", actor="ada")
            ingest.rename_node(space, informix, "The Database", actor="ada")
            made = merges.merge_nodes_by_person(space, ibm, informix, actor="ada")
            assert graph.get_node(space, ibm).canonical_name == "Big Blue"
            merges.unmerge_nodes_by_person(space, made.id, actor="ada")
            assert graph.get_node(space, ibm).canonical_name == "Big Blue"
            assert graph.get_node(space, informix).canonical_name == "The Database"

    @pytest.mark.parametrize("name", ["", "  ", "…", "x" * 301])
    def test_what_is_no_name_is_refused(
        self, database: Database, settings: Settings, home: Home, name: str
    ) -> None:
        take_in(database, settings, home, ABOUT)
        with database.open_space(home.tenant_id, home.space_id) as space, pytest.raises(InvalidInput):
            curation.rename_node(space, node(space, "IBM"), name, actor="ada")

    def test_a_name_in_use_and_an_unknown_node(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, "[IBM|Organization] owns [Lotus|Organization]")
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm = node(space, "IBM")
            with pytest.raises(Conflict, match="Another node"):
                curation.rename_node(space, ibm, "Lotus", actor="ada")
        with database.open_space(home.tenant_id, home.space_id) as space:
            with pytest.raises(Conflict, match="already"):
                curation.rename_node(space, ibm, "IBM", actor="ada")
            with pytest.raises(NotFound):
                curation.rename_node(space, NodeId(create_id()), "Anything", actor="ada")


class TestPreview:
    def test_it_says_what_the_merge_then_does(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, ABOUT)
        take_in(database, settings, home, "[Big Blue|Organization] owns [Informix]", title="Two")
        take_in(database, settings, home, "[IBM|Organization] knows [Big Blue|Organization]", title="Three")
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm, blue = node(space, "IBM"), node(space, "Big Blue")
            before = graph.get_node(space, ibm)
            found = curation.preview_merge(space, ibm, blue)
            assert (found.mentions, found.shared_chunks) == (2, 1)
            assert (found.edges_moved, found.edges_between, found.shared_claims) == (1, 1, 1)
            assert (found.new_names, found.shared_names) == (("Big Blue",), ())
            assert graph.get_node(space, ibm) == before
            merges.merge_nodes_by_person(space, ibm, blue, actor="ada")
            after = graph.get_node(space, ibm)
            assert (found.name, found.node_type) == (after.canonical_name, after.node_type)
            assert after.mention_count == before.mention_count + found.mentions - found.shared_chunks

    def test_it_says_that_a_decision_is_overruled(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, ABOUT)
        with database.open_space(home.tenant_id, home.space_id) as space:
            ibm, informix = node(space, "IBM"), node(space, "Informix")
            assert not curation.preview_merge(space, ibm, informix).overrides_decision
            curation.keep_nodes_apart(space, ibm, informix, actor="ada")
            assert curation.preview_merge(space, ibm, informix).overrides_decision


class TestPairs:
    def test_a_pair_is_kept_apart_and_reconsidered(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        take_in(database, settings, home, ALIKE)
        with database.open_space(home.tenant_id, home.space_id) as space:
            (pair,) = near_duplicates.list_doubtful_pairs(space)
            curation.keep_nodes_apart(space, pair.a.node_id, pair.b.node_id, actor="ada")
            assert near_duplicates.list_doubtful_pairs(space) == []
            (kept,) = curation.list_pairs_kept_apart(space)
            assert (kept.a[0], kept.b[0], kept.decided_by) == ("john smith", "jon smith", "ada")
            curation.withdraw_decision_to_keep_apart(space, kept.b, kept.a, actor="ada")
            assert len(near_duplicates.list_doubtful_pairs(space)) == 1
            with pytest.raises(NotFound):
                curation.withdraw_decision_to_keep_apart(space, kept.a, kept.b, actor="ada")
        assert actions(database, home)[:2] == ["node.reconsider", "node.keep_apart"]

    def test_another_space_knows_nothing_of_it(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        take_in(database, settings, home, ALIKE)
        take_in(database, settings, twin, ALIKE)
        with database.open_space(home.tenant_id, home.space_id) as space:
            (pair,) = near_duplicates.list_doubtful_pairs(space)
            curation.keep_nodes_apart(space, pair.a.node_id, pair.b.node_id, actor="ada")
        with database.open_space(twin.tenant_id, twin.space_id) as space:
            assert curation.list_pairs_kept_apart(space) == []
            assert len(near_duplicates.list_doubtful_pairs(space)) == 1
            with pytest.raises(NotFound):
                curation.keep_nodes_apart(space, pair.a.node_id, pair.b.node_id, actor="ada")
            with pytest.raises(NotFound):
                curation.preview_merge(space, pair.a.node_id, pair.b.node_id)

"""What resolution makes of like names: sure spellings joined in any order, homonyms apart, verdicts
honoured.
"""

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.db.database import Database
from app.graph.write import merges
from app.ids import NodeId
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import make_runner, picture, submit, text
from tests.support.sampling import sampled
from tests.support.scripted_extractor import Scripted

BOTH = "[International Business Machines=IBM|Organization] owns [Informix]"
SPELLINGS = [
    "[Acme|Organization] created [Rocket]",
    "[Acme, Inc.|Organization] created [Anvil]",
    "[ACME Corporation] owns [Rocket]",
    "[Acme] created [Tunnel Paint]",
    "[Acme|Product] uses [Rocket]",
    "[Dr. Ada Lovelace] created [Notes]",
    "[Ada Lovelace|Person] knows [Charles Babbage|Person]",
    "[Prof. Charles Babbage|Person] works_for [Acme|Organization]",
    "[B-trees|Concept] related_to [Index|Concept]",
    "[B-tree|Concept] part_of [Postgres|Technology]",
    "[Btree] part_of [Sqlite|Technology]",
    "[Wi-Fi|Technology] related_to [Router]",
    "[WiFi|Technology] uses [Router]",
    "[Acme Widgets=Acme|Organization] created [Anvil]",
    "[Apollo 11|Event] related_to [Moon]",
    "[Apollo 1 1|Event] related_to [Moon]",
    "[J. Smith|Person] knows [Ada Lovelace|Person]",
    "[John Smith|Person] knows [Dr. Ada Lovelace|Person]",
]


def ingest(
    database: Database, settings: Settings, home: Home, bodies: Sequence[str], *, homonyms: bool = False
) -> None:
    submit(database, home, *(text(body, title=body) for body in bodies))
    make_runner(database, settings, extractor=Scripted(separates_homonyms=homonyms)).drain()


def names(database: Database, home: Home) -> set[tuple[str, str, int]]:
    return {row[:3] for row in picture(database, home)["nodes"]}


def node_id(database: Database, home: Home, name: str, node_type: str | None = None) -> NodeId:
    with database.open_space(home.tenant_id, home.space_id) as space:
        (row,) = space.connection.execute(
            "SELECT id FROM graph_node WHERE knowledge_space_id = %s AND canonical_name = %s"
            " AND (%s::text IS NULL OR node_type = %s)",
            [home.space_id, name, node_type, node_type],
        ).fetchall()
    return NodeId(row[0])


def edges(database: Database, home: Home) -> set[tuple[Any, ...]]:
    return {row[2:5] for row in picture(database, home)["edges"]}


class TestSureSpellings:
    def test_one_thing_however_it_is_spelled(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest(database, settings, home, SPELLINGS)
        found = {name for name, _, _ in names(database, home)}
        assert len({"Acme", "Acme, Inc.", "ACME Corporation", "Acme Widgets"} & found) == 1
        assert len({"Dr. Ada Lovelace", "Ada Lovelace"} & found) == 1
        assert len({"B-trees", "B-tree"} & found) == 1
        assert len({"Wi-Fi", "WiFi"} & found) == 1
        assert {"Apollo 11", "Apollo 1 1", "J. Smith", "John Smith", "Btree"} <= found

    @pytest.mark.parametrize("seed", sampled(range(6), every=6))
    def test_order_and_number_of_workers_do_not_matter(
        self, database: Database, settings: Settings, home: Home, twin: Home, seed: int
    ) -> None:
        """One job against a job for each document, shuffled, over three workers; with merges by spelling."""
        ingest(database, settings, home, SPELLINGS)
        shuffled = list(SPELLINGS)
        random.Random(seed).shuffle(shuffled)
        for body in shuffled:
            submit(database, twin, text(body, title=body))
        with database.open_platform() as platform:
            platform.connection.execute("UPDATE tenant SET max_running_jobs = 10")
        with ThreadPoolExecutor(3) as pool:
            ran = pool.map(lambda _: make_runner(database, settings, extractor=Scripted()).drain(), range(3))
            assert sum(ran) == len(SPELLINGS)
        one, other = picture(database, home), picture(database, twin)
        for part in one:
            assert other[part] == one[part], part
        with database.open_space(twin.tenant_id, twin.space_id) as space:
            reasons = {row.reason for row in merges.list_merges(space)}
        assert reasons <= {"alias", "string"}

    def test_a_merge_by_spelling_says_so(self, database: Database, settings: Settings, home: Home) -> None:
        for body in SPELLINGS[:2]:
            ingest(database, settings, home, [body])
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert merges.list_merges(space) == []
        assert {row[0] for row in names(database, home)} >= {"Acme, Inc."}

    def test_a_type_shown_later_joins_what_was_apart(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest(database, settings, home, ["[Acme] created [Rocket]"])
        ingest(database, settings, home, ["[Acme, Inc.|Organization] created [Anvil]"])
        assert {"Acme", "Acme, Inc."} <= {row[0] for row in names(database, home)}
        ingest(database, settings, home, ["[Acme|Organization] owns [Tunnel Paint]"])
        assert ("Acme", "Organization", 3) in names(database, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            (row,) = merges.list_merges(space)
        assert row.reason == "string"

    def test_one_text_votes_for_the_type_that_its_second_name_shows(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        """Whether both names are known as one before that text is read, or only after it."""
        both = "[Acme] owns [Rocket]\n[Acme, Inc.|Organization] created [Anvil]"
        same = "[Acme=Acme, Inc.|Organization] owns [Tunnel Paint]"
        for body in (same, both):
            ingest(database, settings, home, [body])
        for body in (both, same):
            ingest(database, settings, twin, [body])
        one, other = (picture(database, space)["nodes"] for space in (home, twin))
        assert other == one
        votes = next(row[-1]["typeVotes"] for row in one if row[0] in ("Acme", "Acme, Inc."))
        assert votes == {"Organization": 2}

    def test_homonyms_of_another_type_stay_apart(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        bodies = [
            "[Mercury|Location] part_of [Solar System|Location]",
            "[Mercury Inc.|Organization] created [Outboard]",
            "[Mercury|Product] part_of [Ford Line|Product]",
        ]
        ingest(database, settings, home, bodies, homonyms=True)
        assert {
            ("Mercury", "Location", 1),
            ("Mercury Inc.", "Organization", 1),
            ("Mercury", "Product", 1),
        } <= names(database, home)


class TestVerdicts:
    def parted(self, database: Database, settings: Settings, home: Home) -> None:
        """IBM and its long name, joined by a text, and parted by a person."""
        for body in ("[IBM|Organization] created [System R]",
                     "[International Business Machines|Organization] created [Db2]", BOTH):  # fmt: skip
            ingest(database, settings, home, [body])
        with database.open_space(home.tenant_id, home.space_id) as space:
            (row,) = merges.list_merges(space)
            merges.unmerge_nodes_by_person(space, row.id, actor="ada")

    def test_undoing_gives_everybody_their_own(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        self.parted(database, settings, home)
        assert {
            ("IBM", "Organization", 1),
            ("International Business Machines", "Organization", 2),
        } <= names(database, home)
        assert ("International Business Machines", "owns", "Informix") in edges(database, home)

    def test_the_same_text_does_not_join_them_again(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        self.parted(database, settings, home)
        again = [BOTH + f" ({number})" for number in range(3)]
        ingest(
            database, settings, home, [*again, "[IBM=International Business Machines|Organization] owns [X1]"]
        )
        assert {
            ("IBM", "Organization", 2),
            ("International Business Machines", "Organization", 5),
        } <= names(database, home)
        assert ("IBM", "owns", "X1") in edges(database, home)
        aliases = {
            (row[0], row[2])
            for row in picture(database, home)["names"]
            if row[2] in ("ibm", "international business machines")
        }
        assert aliases == {
            ("IBM", "ibm"),
            ("International Business Machines", "international business machines"),
        }

    def test_it_holds_when_the_nodes_are_new(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """A verdict is about names: it outlives the nodes."""
        self.parted(database, settings, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            space.connection.execute("DELETE FROM graph_node WHERE knowledge_space_id = %s", [home.space_id])
        ingest(database, settings, home, [BOTH + " (x)", "[IBM|Organization] created [System R] anew"])
        assert {"IBM", "International Business Machines"} <= {row[0] for row in names(database, home)}

    def test_sure_spellings_respect_it(self, database: Database, settings: Settings, home: Home) -> None:
        ingest(database, settings, home, ["[Acme] created [Rocket]"])
        ingest(database, settings, home, ["[Acme, Inc.|Organization] created [Anvil]"])
        ingest(database, settings, home, ["[Acme|Organization] owns [Tunnel Paint]"])
        with database.open_space(home.tenant_id, home.space_id) as space:
            (row,) = merges.list_merges(space)
            merges.unmerge_nodes_by_person(space, row.id, actor="ada")
        ingest(database, settings, home, ["[Acme|Organization] owns [Giant Magnet]"])
        ingest(database, settings, home, ["[Acme, Inc.|Organization] owns [Bird Seed]"])
        assert {("Acme", "Organization", 3), ("Acme, Inc.", "Organization", 2)} <= names(database, home)

    def test_a_shared_name_goes_by_type_and_else_to_the_better_known(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        """Edges end where their own chunk's mention is."""
        ingest(database, settings, home, ["[Mercury|Location] part_of [Sky]"], homonyms=True)
        ingest(database, settings, home, ["[Mercury|Product] part_of [Fleet]",
                                          "[Mercury|Product] uses [Petrol]"], homonyms=True)  # fmt: skip
        ids = [node_id(database, home, "Mercury", kind) for kind in ("Location", "Product")]
        with database.open_space(home.tenant_id, home.space_id) as space:
            merge_id = merges.merge_nodes_by_person(space, ids[0], ids[1], actor="ada").id
            merges.unmerge_nodes_by_person(space, merge_id, actor="ada")
        ingest(
            database,
            settings,
            home,
            ["[Mercury|Location] near [Venus]", "[Mercury|Product] costs [Money]", "[Mercury] has [Wings]"],
        )
        found = names(database, home)
        assert {("Mercury", "Location", 2), ("Mercury", "Product", 4)} <= found

    def test_a_person_who_merges_overrules_what_was_said(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        self.parted(database, settings, home)
        ids = [node_id(database, home, name) for name in ("IBM", "International Business Machines")]
        with database.open_space(home.tenant_id, home.space_id) as space:
            merges.merge_nodes_by_person(space, ids[1], ids[0], actor="ada")
        ingest(database, settings, home, [BOTH + " (y)", "[IBM|Organization] created [System R] anew"])
        found = {row[0] for row in names(database, home)}
        assert "IBM" not in found
        assert "International Business Machines" in found


@pytest.mark.soak
@pytest.mark.slow
def test_eight_workers_on_overlapping_documents_end_as_one(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """No deadlock, no lost merge: every document names things that others name otherwise."""
    chance = random.Random(3)
    bodies = [
        "\n".join(chance.sample(SPELLINGS, 6)).replace("Rocket", f"Rocket {number % 5}")
        for number in range(48)
    ]
    ingest(database, settings, home, bodies)
    for body in chance.sample(bodies, len(bodies)):
        submit(database, twin, text(body, title=body))
    with database.open_platform() as platform:
        platform.connection.execute("UPDATE tenant SET max_running_jobs = 10")
    with ThreadPoolExecutor(8) as pool:
        ran = pool.map(lambda _: make_runner(database, settings, extractor=Scripted()).drain(), range(8))
        # One that gives way to another tenant runs twice.
        assert sum(ran) >= len(bodies)
    one, other = picture(database, home), picture(database, twin)
    for part in one:
        assert other[part] == one[part], part

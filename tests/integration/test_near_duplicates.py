"""Doubtful pairs on real Postgres: found by keys, judged several at once, never twice, merged as the judge
says.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.db.database import Database
from app.db.session import OpenSession
from app.graph import service as graph
from app.graph.resolution.shapes import DoubtfulPair, Verdict
from app.graph.write import merges, near_duplicates
from app.graph.write.curation import service as curation
from app.ids import ChunkId, NodeId
from app.llm.embedding.hashed import HashedEmbedder
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import make_runner, picture, submit, text
from tests.support.scripted_extractor import Scripted
from tests.support.sent_statements import sent_statements

PEOPLE = [
    "[Michael Stonebraker|Person] created [Ingres]",
    "[Micheal Stonebraker|Person] created [Postgres|Technology]",
    "[M. Stonebraker|Person] created [Vertica]",
    "[Mary Stonebraker|Person] knows [Ada Lovelace|Person]",
    "[IBM|Organization] owns [Informix]",
    "[International Business Machines|Organization] created [Db2]",
]


@dataclass
class Judge:
    """Says what it was told to, and remembers what it was asked."""

    same: frozenset[frozenset[str]] = frozenset()
    name: str = "judge-1"
    asked: list[DoubtfulPair] = field(default_factory=list)
    silent: bool = False

    def judge_pairs(self, pairs: Sequence[DoubtfulPair]) -> list[Verdict | None]:
        self.asked += pairs
        if self.silent:
            return [None] * len(pairs)
        return [Verdict(frozenset((pair.a.name, pair.b.name)) in self.same, 0.9, "told") for pair in pairs]

    def names(self) -> list[frozenset[str]]:
        return [frozenset((pair.a.name, pair.b.name)) for pair in self.asked]


TYPO = frozenset(("Michael Stonebraker", "Micheal Stonebraker"))
INITIAL = frozenset(("Michael Stonebraker", "M. Stonebraker"))
ACRONYM = frozenset(("IBM", "International Business Machines"))


def ingest(database: Database, settings: Settings, home: Home, bodies: Sequence[str]) -> None:
    submit(database, home, *(text(body, title=body[:30]) for body in bodies))
    make_runner(database, settings, extractor=Scripted()).drain()


def settle(database: Database, home: Home, judge: Judge) -> Counter[str]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        chunks = [
            ChunkId(row[0])
            for row in space.connection.execute(
                "SELECT id FROM knowledge_chunk WHERE knowledge_space_id = %s ORDER BY id", [home.space_id]
            )
        ]
    return near_duplicates.judge_and_merge_near_duplicates(
        lambda: database.open_space(home.tenant_id, home.space_id), chunks, HashedEmbedder(), judge
    )


def listed(database: Database, home: Home) -> set[frozenset[str]]:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return {frozenset((pair.a.name, pair.b.name)) for pair in near_duplicates.list_doubtful_pairs(space)}


def names(database: Database, home: Home) -> set[str]:
    return {row[0] for row in picture(database, home)["nodes"]}


def test_without_a_judge_they_stay_apart_and_are_listed(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    for owner in (home, twin):
        ingest(database, settings, owner, PEOPLE)
    assert {TYPO, INITIAL, ACRONYM} <= listed(database, home)
    assert "Mary Stonebraker" in names(database, home)
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert merges.list_merges(space) == []


class TestKeptPairs:
    def test_names_are_compared_once_for_a_state_of_the_graph(
        self, database: Database, settings: Settings, home: Home, twin: Home
    ) -> None:
        ingest(database, settings, home, PEOPLE)
        ingest(database, settings, twin, PEOPLE[:1])
        with sent_statements() as first:
            found = listed(database, home)
        with sent_statements() as second:
            assert listed(database, home) == found
        assert [sum("node_name_key a" in statement for statement in sent) for sent in (first, second)] == [
            1,
            0,
        ]
        assert len(second) < len(first)
        assert listed(database, twin) == set()

    def test_what_is_new_gone_or_decided_is_seen_at_once(
        self, database: Database, settings: Settings, home: Home
    ) -> None:
        ingest(database, settings, home, PEOPLE[:2])
        assert listed(database, home) == {TYPO}
        ingest(database, settings, home, PEOPLE[2:])
        assert {TYPO, INITIAL, ACRONYM} <= listed(database, home)
        # As if comparing had taken so long that it rests now.
        with database.open_space(home.tenant_id, home.space_id) as space:
            space.connection.execute("UPDATE kept_pairs SET seconds = 60")
            nodes = {node.canonical_name: NodeId(node.id) for node in graph.list_nodes(space, limit=100)}
        with database.open_space(home.tenant_id, home.space_id) as space:
            merges.merge_nodes_by_person(
                space, nodes["Michael Stonebraker"], nodes["Micheal Stonebraker"], actor="person"
            )
            curation.keep_nodes_apart(
                space, nodes["IBM"], nodes["International Business Machines"], actor="person"
            )
        assert listed(database, home).isdisjoint({TYPO, ACRONYM})
        ingest(database, settings, home, ["[Adam Lovelace|Person] knows [Adan Lovelace|Person]"])
        late = frozenset(("Adam Lovelace", "Adan Lovelace"))
        assert late not in listed(database, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            near_duplicates.delete_stored_doubtful_pairs(space)
        assert late in listed(database, home)

    def test_no_word_is_kept(self, database: Database, settings: Settings, home: Home) -> None:
        ingest(database, settings, home, PEOPLE)
        listed(database, home)
        with database.open_space(home.tenant_id, home.space_id) as space:
            row = space.connection.execute("SELECT k::text FROM kept_pairs k").fetchone()
            assert row is not None
            assert "Stonebraker" not in row[0]


def test_the_judge_is_asked_once_and_followed(database: Database, settings: Settings, home: Home) -> None:
    ingest(database, settings, home, PEOPLE)
    judge = Judge(frozenset((TYPO, ACRONYM)))
    counts = settle(database, home, judge)
    assert {TYPO, INITIAL, ACRONYM} <= set(judge.names())
    assert counts["merges"] == 2
    assert all(side.passage for pair in judge.asked for side in (pair.a, pair.b))
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = merges.list_merges(space)
    assert {(row.reason, row.decided_by, round(row.confidence, 2)) for row in rows} == {
        ("model", "judge-1", 0.9)
    }
    found = names(database, home)
    assert len(TYPO & found) == len(ACRONYM & found) == 1
    assert {"M. Stonebraker", "Mary Stonebraker"} <= found
    again = Judge()
    settle(database, home, again)
    assert again.asked == []
    assert not {TYPO, INITIAL, ACRONYM} & listed(database, home)


def test_a_yes_outlives_the_nodes_and_a_persons_no_outweighs_it(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest(database, settings, home, PEOPLE)
    before = picture(database, home)
    settle(database, home, Judge(frozenset((TYPO,))))
    with database.open_space(home.tenant_id, home.space_id) as space:
        (row,) = merges.list_merges(space)
        merges.unmerge_nodes_by_person(space, row.id, actor="ada")
    assert picture(database, home) == before
    judge = Judge(frozenset((TYPO,)))
    assert settle(database, home, judge)["merges"] == 0
    assert TYPO not in judge.names()


def test_a_judge_that_says_nothing_is_asked_again(database: Database, settings: Settings, home: Home) -> None:
    ingest(database, settings, home, PEOPLE)
    assert settle(database, home, Judge(silent=True)) == Counter()
    judge = Judge()
    settle(database, home, judge)
    assert TYPO in judge.names()


def test_other_types_and_other_numbers_are_never_doubtful(
    database: Database, settings: Settings, home: Home
) -> None:
    bodies = [
        "[Apollo Program 11|Event] near [Moon Landing|Event]",
        "[Apollo Program 12|Event] near [Moon Landings|Event]",
        "[Jordan River|Location] near [Jordan Rivers|Person]",
    ]
    ingest(database, settings, home, bodies)
    assert listed(database, home) == set()


@pytest.fixture
def sent() -> Iterator[Counter[str]]:
    """How often each named statement was sent."""
    counted: Counter[str] = Counter()
    original = OpenSession.run

    def run(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> list[tuple[Any, ...]]:
        counted[name] += 1
        return original(self, name, parameters, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenSession, "run", run)
        yield counted


def test_five_hundred_pairs_take_as_many_statements_as_five(
    database: Database, settings: Settings, home: Home, twin: Home, sent: Counter[str]
) -> None:
    def bodies(count: int) -> list[str]:
        letters = [chr(97 + number % 26) + chr(97 + number // 26 % 26) * 3 for number in range(count)]
        return [
            "\n".join(
                f"[Anna {word}berg{word}|Person] knows [Annna {word}berg{word}|Person]"
                for word in letters[begin : begin + 20]
            )
            for begin in range(0, count, 20)
        ]

    taken = []
    for owner, count in ((home, 5), (twin, 520)):
        ingest(database, settings, owner, bodies(count))
        sent.clear()
        judge = Judge()
        settle(database, owner, judge)
        taken.append((Counter(sent), len(judge.asked)))
    (few, asked_few), (many, asked_many) = taken
    assert asked_few == 5
    assert asked_many == near_duplicates.MAX_JUDGED_PAIRS
    assert few == many
    assert many.total() <= 12

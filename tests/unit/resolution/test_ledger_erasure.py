"""Requirement 15.3: a merge can be undone without what deleted chunks said coming back."""

from datetime import UTC, datetime
from uuid import UUID

from app.graph.resolution.ledger_erasure import NO_NAME, erase_chunks_from_row
from app.graph.resolution.unmerge_plan import LedgerRow, Mention, NameRow
from app.ids import NodeId, create_id

GONE, STAYS = create_id(), create_id()


def mention(name: str, surface: str | None = None) -> Mention:
    return Mention(surface or name, 0, len(surface or name), name, "Person")


def row(mentions: dict[UUID, Mention], *names: str) -> LedgerRow:
    """A merge of Ada (the loser) into Grace."""
    return LedgerRow(
        id=create_id(),
        winner_id=NodeId(create_id()),
        loser_id=NodeId(create_id()),
        loser_name="Ada",
        loser_type="Person",
        loser_record={"metadata": {}},
        winner_record={"canonical_name": "Grace"},
        loser_names={name.lower(): NameRow(name, "alias") for name in names},
        winner_names={"grace": NameRow("Grace", "canonical")},
        loser_mentions=mentions,
        winner_mentions={STAYS: mention("Grace")},
        edges_from=[],
        edges_to=[],
        loops=[],
        confirmed_edges=[],
        created_at=datetime.now(UTC),
        undone_at=None,
        graph_revision=1,
    )


def test_a_name_that_a_mention_still_gives_stays() -> None:
    left = erase_chunks_from_row(
        row({GONE: mention("Ada King"), STAYS: mention("Ada")}, "Ada", "Ada King"), {GONE}, ["grace"]
    )
    assert set(left.loser_names) == {"ada"}
    assert left.loser_name == "Ada"
    assert left.loser_record["metadata"]["nameVotes"] == {"Ada": 1}


def test_the_words_of_a_mention_give_its_name_too() -> None:
    left = erase_chunks_from_row(
        row({STAYS: mention("Ada", "Countess")}, "Ada", "Countess", "Enchantress"), {GONE}, ["grace"]
    )
    assert set(left.loser_names) == {"ada", "countess"}


def test_a_name_of_a_node_that_stands_stays_beside_those_of_mentions() -> None:
    left = erase_chunks_from_row(
        row({STAYS: mention("Ada")}, "Ada", "Countess", "Enchantress"), {GONE}, ["grace", "countess"]
    )
    assert set(left.loser_names) == {"ada", "countess"}


def test_of_a_node_whose_mentions_are_all_gone_no_name_stays() -> None:
    left = erase_chunks_from_row(row({GONE: mention("Ada")}, "Ada"), {GONE}, ["grace", "ada"])
    assert left.loser_names == {}
    assert left.loser_name == NO_NAME
    assert left.loser_record["metadata"]["aliases"] == []


def test_a_persons_tags_stay_with_what_is_left_and_suggested_ones_go() -> None:
    """Requirement 15.3: a suggestion may rest on the deleted text."""
    tagged = row({GONE: mention("Ada King"), STAYS: mention("Ada")}, "Ada", "Ada King")
    tagged.loser_record["tags"] = [["poet", 0, "person"], ["engine", 1, "rules"]]

    left = erase_chunks_from_row(tagged, {GONE}, ["grace"])
    nothing = erase_chunks_from_row(tagged, {GONE, STAYS}, ["grace"])

    assert left.loser_record["tags"] == [["poet", 0, "person"]]
    assert nothing.loser_record["tags"] == []

"""Names and types follow the votes of mentions, whichever come and go."""

from app.domain.node_types import DEFAULT_TYPE
from app.graph.resolution.entity_resolver import KnownNode
from app.graph.resolution.votes import Vote, build_node_with_votes
from app.ids import NodeId, create_id

TYPED, UNTYPED = Vote("Zuse", "Organization"), Vote("Zuse", None)
ASSUMED = KnownNode(NodeId(create_id()), "Zuse", DEFAULT_TYPE, 0, {})


def test_a_type_goes_with_the_last_text_that_shows_it() -> None:
    both = build_node_with_votes(ASSUMED, [TYPED, UNTYPED], sign=1)
    assert both.node_type == "Organization"
    left = build_node_with_votes(both, [TYPED], sign=-1)
    assert (left.node_type, left.mention_count) == (DEFAULT_TYPE, 1)
    assert build_node_with_votes(both, [UNTYPED], sign=-1).node_type == "Organization"


def test_a_node_that_nobody_names_keeps_what_it_was() -> None:
    named = build_node_with_votes(ASSUMED, [TYPED], sign=1)
    left = build_node_with_votes(named, [TYPED], sign=-1)
    assert (left.canonical_name, left.node_type, left.mention_count) == ("Zuse", "Organization", 0)


def test_a_type_that_went_does_not_come_back_with_a_text_that_shows_none() -> None:
    named = build_node_with_votes(ASSUMED, [TYPED], sign=1)
    left = build_node_with_votes(named, [TYPED], sign=-1)
    assert build_node_with_votes(left, [UNTYPED], sign=1).node_type == DEFAULT_TYPE


def test_of_senses_that_went_nothing_is_left() -> None:
    with_sense = build_node_with_votes(ASSUMED, [Vote("Zuse", None, "company")], sign=1)
    assert with_sense.metadata["senseVotes"] == {"company": 1}
    assert (
        "senseVotes"
        not in build_node_with_votes(with_sense, [Vote("Zuse", None, "company")], sign=-1).metadata
    )


def test_a_type_that_no_vote_gave_stays() -> None:
    """As of a file of another installation, or of nodes from before votes were kept."""
    known = KnownNode(NodeId(create_id()), "Zuse", "Organization", 1, {"nameVotes": {"Zuse": 1}})
    assert build_node_with_votes(known, [UNTYPED], sign=1).node_type == "Organization"


def test_votes_of_the_most_trusted_documents_decide_alone_and_blanks_are_filled_by_others() -> None:
    loud = [Vote("ZUSE", "Location", None, 0.2)] * 5
    both = build_node_with_votes(ASSUMED, [*loud, Vote("Zuse", None, None, 0.5)], sign=1)
    assert (both.canonical_name, both.node_type) == ("Zuse", "Location")
    trusted = build_node_with_votes(both, [TYPED], sign=1)
    assert (trusted.canonical_name, trusted.node_type) == ("Zuse", "Organization")
    assert trusted.metadata["nameVotes"] == {"ZUSE": 5, "Zuse": 2}
    left = build_node_with_votes(trusted, [TYPED, Vote("Zuse", None, None, 0.5)], sign=-1)
    assert (left.canonical_name, left.node_type, left.mention_count) == ("ZUSE", "Location", 5)
    assert set(left.metadata["lessTrustedVotes"]) == {"0.2"}
    assert "lessTrustedVotes" not in build_node_with_votes(left, loud, sign=-1).metadata


def test_votes_that_go_under_another_trust_than_they_came_leave_nothing() -> None:
    loud = build_node_with_votes(ASSUMED, [Vote("ZUSE", None, None, 0.2)], sign=1)
    assert "lessTrustedVotes" not in build_node_with_votes(loud, [Vote("ZUSE", None)], sign=-1).metadata

"""What another reading adds, loses and types otherwise, on plain values."""

from app.ids import ChunkId, create_id
from app.ingest.trials.comparison import ReadClaim, compare_claims

CHUNK, OTHER = ChunkId(create_id()), ChunkId(create_id())


def claim(text: str, *, chunk: ChunkId = CHUNK, polarity: str = "asserted") -> ReadClaim:
    source, relation, target = text.split()
    return ReadClaim(chunk, source, source, relation, target, target, polarity, 0.9, text)


def test_the_same_claim_of_both_is_no_difference() -> None:
    result = compare_claims([claim("a uses b"), claim("a uses b")], [claim("a uses b")])
    assert (result.same, result.added, result.lost, result.retyped) == (1, [], [], [])


def test_a_claim_of_one_side_is_added_or_lost_in_its_own_chunk() -> None:
    result = compare_claims([claim("a uses b")], [claim("a uses b", chunk=OTHER), claim("a uses c")])
    assert [shown_claim.quote for shown_claim in result.lost] == ["a uses b"]
    assert sorted(shown_claim.quote for shown_claim in result.added) == ["a uses b", "a uses c"]


def test_another_type_direction_or_polarity_of_the_same_two_is_retyped() -> None:
    graph_claims = [claim("a uses b"), claim("c owns d"), claim("e uses f")]
    trial_claims = [claim("a part_of b"), claim("d owns c"), claim("e uses f", polarity="denied")]
    result = compare_claims(graph_claims, trial_claims)
    assert {(pair.graph_claim.quote, pair.trial_claim.quote) for pair in result.retyped} == {
        ("a uses b", "a part_of b"),
        ("c owns d", "d owns c"),
        ("e uses f", "e uses f"),
    }
    assert (result.added, result.lost) == ([], [])


def test_each_claim_is_retyped_once_and_the_rest_is_lost_or_added() -> None:
    result = compare_claims([claim("a uses b"), claim("a owns b")], [claim("a part_of b")])
    assert (len(result.retyped), len(result.lost), len(result.added)) == (1, 1, 0)


def test_a_relation_without_direction_may_stand_either_way() -> None:
    assert compare_claims([claim("a married_to b")], [claim("b married_to a")]).same == 1


def test_counts_by_relation_add_up() -> None:
    result = compare_claims(
        [claim("a uses b"), claim("c owns d"), claim("e owns f")],
        [claim("a uses b"), claim("c uses d"), claim("g owns h")],
    )
    owns, uses = result.by_relation["owns"], result.by_relation["uses"]
    assert (owns.in_graph, owns.in_trial, owns.same, owns.added, owns.lost, owns.retyped) == (
        2,
        1,
        0,
        1,
        1,
        1,
    )
    assert (uses.in_graph, uses.in_trial, uses.same, uses.added, uses.lost, uses.retyped) == (
        1,
        2,
        1,
        0,
        0,
        0,
    )

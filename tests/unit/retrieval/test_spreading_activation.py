"""The ranking walk: what it prefers, what it ignores, and that it never stumbles."""

import time
from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.retrieval import spreading_activation
from app.retrieval.score_fusion import fuse_scores
from app.retrieval.spreading_activation import (
    DAMPING,
    GATE_FLOOR,
    MAX_SEED_FACTS,
    WALK_STEPS,
    PassageRanking,
    Subgraph,
    compute_specificity_of_anchors,
    flag_principal_anchors,
    rank_passages,
    subtract_name_vectors,
)

Pair = tuple[int, int]


def subgraph(
    passages: int,
    nodes: int,
    *,
    mentions: Sequence[Pair] = (),
    titles: Sequence[Pair] = (),
    edges: Sequence[Pair] = (),
    anchors: Sequence[Pair] = (),
    cosine: list[float] | None = None,
    rest_cosine: list[float] | None = None,
    lexical: list[float] | None = None,
    fact_cosine: list[float] | None = None,
    written: list[bool] | None = None,
    kin: Sequence[Pair] = (),
    space_passages: int = 1000,
) -> Subgraph:
    """A subgraph that is all there is: mentions and titles (passage, node), anchors (node, spread)."""

    def column(pairs: Sequence[Pair], which: int) -> np.ndarray:
        return np.array([pair[which] for pair in pairs], np.int64)

    def numbers(given: list[float] | None, size: int, otherwise: float) -> np.ndarray:
        return np.full(size, otherwise) if given is None else np.array(given, np.float64)

    return Subgraph(
        space_passages=space_passages,
        node_mentions=np.bincount(column(mentions, 1), minlength=nodes),
        node_degree=np.bincount([end for edge in edges for end in edge], minlength=nodes)
        if edges
        else np.zeros(nodes, np.int64),
        passage_cosine=numbers(cosine, passages, 0.5),
        passage_residual_cosine=None if rest_cosine is None else np.array(rest_cosine, np.float64),
        passage_lexical=numbers(lexical, passages, 0.0),
        anchor_node=column(anchors, 0),
        anchor_spread=column(anchors, 1),
        anchor_is_written=None if written is None else np.array(written, bool),
        mention_passage=column(mentions, 0),
        mention_node=column(mentions, 1),
        mention_is_titular=np.array([pair in titles for pair in mentions], bool),
        edge_from=column(edges, 0),
        edge_to=column(edges, 1),
        edge_cosine=numbers(fact_cosine, len(edges), float("nan")),
        nested_names=(column(kin, 0), column(kin, 1)) if kin else None,
    )


def columns_of(given: Subgraph, prefix: str) -> list[str]:
    """The columns of one kind of thing, those that are there."""
    names = [field.name for field in fields(given) if field.name.startswith(prefix)]
    return [name for name in names if getattr(given, name) is not None]


class TestWhatIsPreferred:
    def test_the_second_hop_is_found_though_nothing_in_it_is_like_the_question(self) -> None:
        # 0 names the anchor and a bridge, 1 is about the bridge, 2 and 3 are like the question and lead
        # nowhere.
        found = rank_passages(
            subgraph(
                4,
                2,
                mentions=[(0, 0), (0, 1), (1, 1)],
                titles=[(0, 0), (1, 1)],
                edges=[(0, 1)],
                anchors=[(0, 1)],
                cosine=[0.6, 0.3, 0.4, 0.1],
            )
        )
        assert list(found.best_passages[:2]) == [0, 1]

    def test_a_page_about_the_anchor_goes_before_one_that_names_it(self) -> None:
        found = rank_passages(subgraph(2, 1, mentions=[(0, 0), (1, 0)], titles=[(1, 0)], anchors=[(0, 2)]))
        assert found.best_passages[0] == 1

    def test_a_name_that_leads_only_where_the_words_lead_moves_nothing(self) -> None:
        # The words say more for 0; 1 holds a name of the question, which no claim joins to anything.
        given: dict[str, Any] = {"mentions": [(1, 0)], "anchors": [(0, 1)], "lexical": [8.0, 2.0, 0.0]}
        assert list(rank_passages(subgraph(3, 2, **given)).best_passages) == [0, 1, 2]
        # It leads on by a claim, to a page about it, by a name that holds it, and where no word is shared.
        claimed = rank_passages(subgraph(3, 2, edges=[(0, 1)], **given))
        titled = rank_passages(subgraph(3, 2, titles=[(1, 0)], **given))
        held = rank_passages(subgraph(3, 2, kin=[(0, 1)], **given))
        unworded = rank_passages(subgraph(3, 2, **(given | {"lexical": [8.0, 0.0, 0.0]})))
        assert [found.best_passages[0] for found in (claimed, titled, held, unworded)] == [1, 1, 1, 1]

    def test_a_name_that_no_passage_near_the_front_holds_leads_on(self) -> None:
        # A long question shares more words with six others than with the one that holds its only name.
        lexical = [9.0, 8.0, 7.0, 6.0, 5.0, 2.0, 1.0]
        behind = rank_passages(subgraph(7, 2, mentions=[(5, 0)], anchors=[(0, 1)], lexical=lexical))
        assert behind.best_passages[0] == 5
        near = rank_passages(subgraph(7, 2, mentions=[(4, 0)], anchors=[(0, 1)], lexical=lexical))
        assert list(near.best_passages[:5]) == [0, 1, 2, 3, 4]

    def test_where_nothing_is_named_the_names_of_passages_move_nothing(self) -> None:
        # 0 shares its name with 2, so that it would hand on more than 1, whose name is its own.
        given: dict[str, Any] = {"mentions": [(0, 0), (2, 0), (1, 1)], "lexical": [8.0, 7.0, 0.0]}
        assert list(rank_passages(subgraph(3, 2, **given)).best_passages) == [0, 1, 2]

    def test_a_rare_name_goes_before_a_common_word_that_is_a_node_as_well(self) -> None:
        both: dict[str, Any] = {"mentions": [(0, 0), (1, 1)], "cosine": [0.5, 0.5, 0.4]}
        found = rank_passages(subgraph(3, 2, anchors=[(0, 60), (1, 1)], **both))
        assert found.best_passages[0] == 1
        # Without the words' own count the two would be equal: each is the name of one passage.
        alike = rank_passages(subgraph(3, 2, anchors=[(0, 1), (1, 1)], **both))
        assert alike.passage_mass[0] == pytest.approx(alike.passage_mass[1])

    def test_without_anchors_and_facts_it_is_hybrid_search(self) -> None:
        cosine, lexical = [0.9, 0.2, 0.5, 0.1], [0.0, 8.0, 1.0, 0.0]
        found = rank_passages(subgraph(4, 0, cosine=cosine, lexical=lexical))
        expected = np.argsort(-fuse_scores(np.array(cosine), np.array(lexical)), kind="stable")
        assert list(found.best_passages) == list(expected)

    def test_the_least_of_two_passages_that_share_words_is_found_without_a_graph(self) -> None:
        # It takes back what the other says, in words of which the graph knows nothing.
        found = rank_passages(
            subgraph(2, 1, mentions=[(0, 0)], anchors=[(0, 1)], cosine=[0.9, 0.8], lexical=[2.0, 1.8])
        )
        assert found.passage_mass[1] > 0

    def test_the_least_of_two_is_found_where_no_name_leads_on(self) -> None:
        named: dict[str, Any] = {"mentions": [(0, 0), (1, 0)], "cosine": [0.9, 0.8], "lexical": [2.0, 1.8]}
        assert rank_passages(subgraph(2, 1, anchors=[(0, 2)], **named)).passage_mass[1] > 0
        assert rank_passages(subgraph(2, 1, **named)).passage_mass[1] > 0

    def test_an_anchor_that_says_nothing_leaves_the_passages_in_front(self) -> None:
        # The best passage by far has no node at all; the anchor is a word of 400 passages.
        found = rank_passages(
            subgraph(3, 1, mentions=[(1, 0), (2, 0)], anchors=[(0, 400)], cosine=[0.9, 0.3, 0.2])
        )
        assert found.best_passages[0] == 0

    def test_the_gate_keeps_out_what_shares_a_node_and_is_unlike_the_question(self) -> None:
        # Both passages are tied alike to a node that the first one leads to.
        links = [(0, 0), (0, 1), (1, 1), (2, 1)]
        found = rank_passages(subgraph(4, 2, mentions=links, anchors=[(0, 1)], cosine=[0.6, 0.1, 0.5, 0.0]))
        assert found.passage_mass[2] > 2 * found.passage_mass[1]

    def test_vectors_that_know_spelling_alone_shut_nothing_out(self) -> None:
        # Unlike the question in every way, and still handed on three tenths: what leads on may speak
        # otherwise.
        links = [(0, 0), (0, 1), (1, 1), (2, 1)]
        found = rank_passages(subgraph(4, 2, mentions=links, anchors=[(0, 1)], cosine=[0.6, 0.0, 0.6, 0.0]))
        through = found.passage_mass - (1 - DAMPING) * found.direct_scores
        assert through[1] == pytest.approx(GATE_FLOOR * through[2], rel=1e-6)

    def test_where_words_know_better_they_decide_where_to_start(self) -> None:
        given: dict[str, Any] = {"cosine": [0.9, 0.2, 0.1], "lexical": [4.0, 9.0, 0.0]}
        assert rank_passages(subgraph(3, 0, **given)).best_passages[0] == 0
        assert rank_passages(replace(subgraph(3, 0, **given), cosine_share=0.15)).best_passages[0] == 1

    def test_a_word_written_as_a_name_goes_before_one_that_is_not(self) -> None:
        both: dict[str, Any] = {
            "mentions": [(0, 0), (1, 1)],
            "anchors": [(0, 1), (1, 1)],
            "cosine": [0.5, 0.5, 0.4],
        }
        assert rank_passages(subgraph(3, 2, written=[False, True], **both)).best_passages[0] == 1
        assert rank_passages(subgraph(3, 2, written=[True, False], **both)).best_passages[0] == 0
        # Where nothing is written as a name, as in a question without capitals, nothing changes.
        unwritten = rank_passages(subgraph(3, 2, written=[False, False], **both))
        assert unwritten.passage_mass[0] == pytest.approx(unwritten.passage_mass[1])

    def test_what_is_asked_besides_names_opens_the_gate_too(self) -> None:
        # 1 and 2 are tied alike to the bridge and unlike the question; 2 speaks of what is asked.
        given: dict[str, Any] = {"mentions": [(0, 0), (0, 1), (1, 1), (2, 1)], "anchors": [(0, 1)]}
        cosine = [0.6, 0.2, 0.2, 0.1]
        alike = rank_passages(subgraph(4, 2, cosine=cosine, **given))
        assert alike.passage_mass[1] == pytest.approx(alike.passage_mass[2])
        told_apart = rank_passages(subgraph(4, 2, cosine=cosine, rest_cosine=[0.1, 0.1, 0.5, 0.0], **given))
        assert told_apart.passage_mass[2] > 2 * told_apart.passage_mass[1]

    def test_a_name_leads_to_the_names_that_hold_it(self) -> None:
        # "Fredericton" is named by 0, "Diocese of Fredericton" by 1; nothing else ties the two.
        given: dict[str, Any] = {
            "mentions": [(0, 0), (1, 1)],
            "anchors": [(0, 1)],
            "cosine": [0.5, 0.5, 0.5, 0.4],
        }
        apart, tied = (
            rank_passages(subgraph(4, 2, **given)),
            rank_passages(subgraph(4, 2, kin=[(0, 1)], **given)),
        )
        assert apart.node_mass[1] < tied.node_mass[1] / 10
        assert sorted(tied.best_passages[:2]) == [0, 1]

    def test_many_names_that_hold_one_share_its_weight(self) -> None:
        def others(count: int) -> float:
            mentions = [(0, place) for place in range(5)]
            kin = [(0, place) for place in range(1, count + 1)]
            found = rank_passages(subgraph(1, 5, mentions=mentions, kin=kin, anchors=[(0, 1)]))
            return float(found.node_mass[0])

        # However many there are, together they take as much from it.
        assert others(4) == pytest.approx(others(1), rel=0.1)

    def test_without_passages_the_walk_starts_from_names_alone(self) -> None:
        made = subgraph(2, 1, mentions=[(1, 0)], anchors=[(0, 1)], cosine=[0.9, 0.2])
        found = rank_passages(made, starts_from_passages=False)
        assert not found.direct_scores.any()
        assert found.passage_mass[0] == 0


class TestPrincipalAnchors:
    def test_a_question_is_about_its_names_and_not_about_common_words(self) -> None:
        # "director" stands in 40 passages, the film's name in one; the third is a word that is rare here.
        weights = compute_specificity_of_anchors(
            np.array([40, 1, 1]), np.array([1, 1, 1]), np.array([False, True, False])
        )
        assert list(flag_principal_anchors(weights)) == [False, True, True]
        assert weights[2] == pytest.approx(0.3)

    def test_where_nothing_stands_out_it_is_about_all(self) -> None:
        weights = compute_specificity_of_anchors(np.array([40, 50]), np.array([3, 3]))
        assert flag_principal_anchors(weights).all()
        assert not len(flag_principal_anchors(np.zeros(0)))


class TestRestOfQuestion:
    def test_nothing_of_the_names_is_left(self) -> None:
        random = np.random.default_rng(3)
        question, names = random.normal(size=16), random.normal(size=(3, 16))
        rest = subtract_name_vectors(question, names)
        np.testing.assert_allclose(names @ rest, 0, atol=1e-9)
        assert np.linalg.norm(rest) == pytest.approx(1)
        assert rest @ question > 0

    def test_the_question_itself_where_there_is_no_name_or_nothing_else(self) -> None:
        question = np.array([3.0, 4.0])
        np.testing.assert_allclose(subtract_name_vectors(question, np.zeros((0, 2))), [0.6, 0.8])
        np.testing.assert_allclose(subtract_name_vectors(question, question[None]), [0.6, 0.8])
        np.testing.assert_allclose(subtract_name_vectors(question, np.zeros((1, 2))), [0.6, 0.8])

    def test_a_name_given_twice_counts_once(self) -> None:
        question, name = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0])
        once = subtract_name_vectors(question, name[None])
        twice = subtract_name_vectors(question, np.stack([name, name]))
        np.testing.assert_allclose(twice, once, atol=1e-9)

    def test_no_question_is_borne(self) -> None:
        assert np.isfinite(subtract_name_vectors(np.zeros(4), np.ones((1, 4)))).all()


class TestFacts:
    def test_a_fact_more_like_the_question_than_any_passage_starts_a_walk(self) -> None:
        given: dict[str, Any] = {"mentions": [(1, 0), (1, 1)], "edges": [(0, 1)], "cosine": [0.6, 0.3, 0.1]}
        assert rank_passages(subgraph(3, 2, fact_cosine=[0.8], **given)).best_passages[0] == 1
        assert rank_passages(subgraph(3, 2, fact_cosine=[0.55], **given)).best_passages[0] == 0

    def test_only_the_best_few_start_it(self) -> None:
        count = MAX_SEED_FACTS + 3
        edges = [(2 * place, 2 * place + 1) for place in range(count)]
        found = rank_passages(
            subgraph(1, 2 * count, edges=edges, fact_cosine=[0.9 - place / 100 for place in range(count)])
        )
        assert np.count_nonzero(found.node_mass) == 2 * MAX_SEED_FACTS

    def test_a_fact_without_a_vector_is_passed_over(self) -> None:
        found = rank_passages(subgraph(1, 2, edges=[(0, 1)], fact_cosine=[float("nan")]))
        assert not found.node_mass.any()


class TestHubs:
    def walk(self, named_by: int) -> PassageRanking:
        # The anchor's passage leads to a node that `named_by` passages name.
        mentions = [(0, 0), *((passage, 1) for passage in range(named_by))]
        return rank_passages(subgraph(40, 2, mentions=mentions, edges=[(0, 1)], anchors=[(0, 1)]))

    def test_a_node_named_everywhere_ties_nothing_together(self) -> None:
        assert self.walk(10).node_mass[1] > 0
        assert self.walk(11).node_mass[1] == 0

    def test_its_own_page_is_still_found_when_the_question_names_it(self) -> None:
        mentions = [(passage, 0) for passage in range(20)]
        found = rank_passages(subgraph(30, 1, mentions=mentions, titles=[(7, 0)], anchors=[(0, 20)]))
        assert found.best_passages[0] == 7
        assert found.passage_mass[3] == pytest.approx(found.direct_scores[3] * (1 - DAMPING))

    def test_the_cap_is_a_hundredth_in_a_large_space(self) -> None:
        mentions = [(0, 0), *((passage, 1) for passage in range(20))]
        small = subgraph(40, 2, mentions=mentions, edges=[(0, 1)], anchors=[(0, 1)])
        assert rank_passages(small).node_mass[1] == 0
        assert rank_passages(replace(small, space_passages=2_000)).node_mass[1] > 0


class TestBounds:
    def test_what_was_not_fetched_takes_its_share_of_the_walk(self) -> None:
        whole = subgraph(2, 1, mentions=[(0, 0), (1, 0)], anchors=[(0, 2)])
        elsewhere = replace(whole, node_mentions=np.array([8]))
        assert rank_passages(elsewhere).passage_mass.sum() < rank_passages(whole).passage_mass.sum()
        others = subgraph(2, 3, mentions=[(0, 0), (1, 0), (1, 1), (1, 2)], anchors=[(0, 2)])
        assert rank_passages(others).node_mass[0] < rank_passages(whole).node_mass[0]

    def test_counts_that_lag_behind_what_was_fetched_create_nothing(self) -> None:
        stale = subgraph(2, 2, mentions=[(0, 0), (1, 0), (1, 1)], edges=[(0, 1)] * 3, anchors=[(0, 2)])
        stale = replace(
            stale, node_mentions=np.zeros(2, np.int64), node_degree=np.zeros(2, np.int64)
        )  # fmt: skip
        found = rank_passages(stale)
        assert found.passage_mass.sum() + found.node_mass.sum() <= 1 + 1e-9

    @pytest.mark.parametrize(("passages", "nodes"), [(0, 0), (0, 3), (3, 0)])
    def test_nothing_gives_nothing(self, passages: int, nodes: int) -> None:
        found = rank_passages(subgraph(passages, nodes, anchors=[(0, 1)] if nodes else []))
        assert (len(found.passage_mass), len(found.node_mass)) == (passages, nodes)
        assert sorted(found.best_passages) == list(range(passages))

    def test_a_loop_and_a_name_given_twice_are_borne(self) -> None:
        found = rank_passages(subgraph(1, 1, mentions=[(0, 0)], edges=[(0, 0)], anchors=[(0, 1), (0, 1)]))
        assert np.isfinite(found.node_mass).all()

    def test_a_full_subgraph_takes_milliseconds(self) -> None:
        random = np.random.default_rng(5)
        size = 2000
        links = list(zip(random.integers(0, size, 5000), random.integers(0, size, 5000), strict=True))
        made = subgraph(
            size,
            size,
            mentions=sorted({(int(a), int(b)) for a, b in links}),
            edges=[(int(a), int(b)) for a, b in links],
            anchors=[(3, 2)],
            cosine=list(random.random(size)),
        )
        rank_passages(made)
        times = []
        for _ in range(5):
            begun = time.process_time()
            rank_passages(made)
            times.append(time.process_time() - begun)
        assert min(times) < 0.05  # 3 ms when measured


@st.composite
def subgraphs(draw: st.DrawFn) -> Subgraph:
    """Small subgraphs with everything in them, whatever it is."""
    passages, nodes = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    ends = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    ties = st.tuples(st.integers(0, passages - 1), st.integers(0, nodes - 1))
    edges = draw(st.lists(ends, max_size=12))
    mentions = draw(st.lists(ties, max_size=20, unique=True))
    share = st.floats(-1, 1, width=32)
    anchors = draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, 300)), max_size=4))
    return subgraph(
        passages,
        nodes,
        mentions=mentions,
        titles=mentions[::3],
        edges=edges,
        anchors=anchors,
        written=draw(
            st.one_of(st.none(), st.lists(st.booleans(), min_size=len(anchors), max_size=len(anchors)))
        ),
        kin=draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), max_size=5, unique=True)),
        rest_cosine=draw(st.one_of(st.none(), st.lists(share, min_size=passages, max_size=passages))),
        cosine=draw(st.lists(share, min_size=passages, max_size=passages)),
        lexical=draw(st.lists(st.floats(0, 50), min_size=passages, max_size=passages)),
        fact_cosine=draw(
            st.lists(st.one_of(share, st.just(float("nan"))), min_size=len(edges), max_size=len(edges))
        ),
        space_passages=draw(st.integers(passages, 5000)),
    )


class TestAlways:
    @given(subgraphs())
    @settings(max_examples=50)
    def test_scores_are_shares_and_every_passage_has_its_place(self, given_subgraph: Subgraph) -> None:
        found = rank_passages(given_subgraph)
        for scores in (found.passage_mass, found.node_mass, found.direct_scores):
            assert np.isfinite(scores).all()
            assert (scores >= 0).all()
        assert found.passage_mass.sum() + found.node_mass.sum() <= 1 + 1e-9
        assert sorted(found.best_passages) == list(range(len(found.passage_mass)))
        assert (np.diff(found.passage_mass[found.best_passages]) <= 0).all()

    @given(subgraphs())
    @settings(max_examples=50)
    def test_the_same_subgraph_gives_the_same_ranking(self, given_subgraph: Subgraph) -> None:
        one, other = (
            rank_passages(given_subgraph),
            rank_passages(given_subgraph),
        )
        assert one.passage_mass.tobytes() == other.passage_mass.tobytes()
        assert list(one.best_passages) == list(other.best_passages)

    @given(subgraphs(), st.randoms(use_true_random=False))
    @settings(max_examples=50)
    def test_the_order_of_the_links_makes_no_difference(
        self, given_subgraph: Subgraph, random: Random
    ) -> None:
        found = rank_passages(given_subgraph)
        changed: dict[str, Any] = {}
        # Facts of the same cosine are told apart by their ends, so edges may be in any order as well.
        for prefix in ("mention_", "edge_", "anchor_"):
            columns = columns_of(given_subgraph, prefix)
            count = len(getattr(given_subgraph, columns[0]))
            order = np.array(random.sample(range(count), k=count), np.int64)
            changed |= {name: getattr(given_subgraph, name)[order] for name in columns}
        again = rank_passages(replace(given_subgraph, **changed))
        np.testing.assert_allclose(again.passage_mass, found.passage_mass, atol=1e-12)

    @given(subgraphs())
    @settings(max_examples=40)
    def test_numbering_passages_otherwise_moves_their_scores_along(self, given_subgraph: Subgraph) -> None:
        count = len(given_subgraph.passage_cosine)
        new_place = (np.arange(count) * 3 + 1) % count if count % 3 else np.arange(count)[::-1].copy()
        old_place = np.argsort(new_place)
        moved = replace(
            given_subgraph,
            mention_passage=new_place[given_subgraph.mention_passage],
            **{
                name: getattr(given_subgraph, name)[old_place]
                for name in columns_of(given_subgraph, "passage_")
            },
        )
        np.testing.assert_allclose(
            rank_passages(moved).passage_mass[new_place],
            rank_passages(given_subgraph).passage_mass,
            atol=1e-12,
        )


def test_the_walk_is_long_enough_to_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    mentions = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]
    made = subgraph(3, 3, mentions=mentions, edges=[(0, 1), (1, 2)], anchors=[(0, 1)])
    scores = rank_passages(made).passage_mass
    assert scores[0] > scores[1] > scores[2] > 0
    monkeypatch.setattr(spreading_activation, "WALK_STEPS", WALK_STEPS + 1)
    np.testing.assert_allclose(rank_passages(made).passage_mass, scores, rtol=0.1)

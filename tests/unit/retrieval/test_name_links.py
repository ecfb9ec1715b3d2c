"""What names alone say: which hold one another, and what a question writes as a name."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.graph.questions import is_written_as_name
from app.retrieval.subgraph_ranking import MAX_CONTAINING_NAMES, find_indices_of_nested_names


def kin(names: list[str]) -> set[tuple[str, str]]:
    short, long = find_indices_of_nested_names(names)
    return {(names[a], names[b]) for a, b in zip(short, long, strict=True)}


def _without_initials(name: str) -> str:
    first, *middle, last = name.split() if name.count(" ") > 1 else (name, "")
    return " ".join((first, *(word for word in middle if len(word) > 1), last))


class TestNamesWithinNames:
    @pytest.mark.parametrize(
        ("names", "expected"),
        [
            (["fredericton", "diocese of fredericton"], {("fredericton", "diocese of fredericton")}),
            (["new york", "new york city", "york"], {
                ("new york", "new york city"), ("york", "new york"), ("york", "new york city"),
            }),
            (["prague", "pragueish clock"], set()),  # a piece of a word is no word
            (["york new", "new york city"], set()),  # nor are words in another order the name
            (["the", "the hague"], set()),
            (["nathan juran", "nathan h. juran", "nathan h."], {
                ("nathan juran", "nathan h. juran"), ("nathan h.", "nathan h. juran"),
            }),  # an initial in the middle may be left out
            (["nathan juran", "nathan hugo juran", "nathan j. juran sr"], set()),
            (["same", "same"], set()),
            (["", "anything"], set()),
            ([], set()),
        ],
    )  # fmt: skip
    def test_whole_words_in_order(self, names: list[str], expected: set[tuple[str, str]]) -> None:
        assert kin(names) == expected

    def test_a_name_that_many_hold_says_nothing(self) -> None:
        holders = [f"john {number}" for number in range(MAX_CONTAINING_NAMES)]
        assert len(kin(["john", *holders])) == MAX_CONTAINING_NAMES
        assert kin(["john", *holders, "john once more"]) == set()

    @given(
        st.lists(st.text(alphabet="ab ", max_size=8).map(lambda text: " ".join(text.split())), max_size=12)
    )
    def test_finds_what_trying_every_pair_finds(self, names: list[str]) -> None:
        pairs = {
            (a, b)
            for a in range(len(names))
            for b in range(len(names))
            if names[a] and names[a] != "a" and names[a] != names[b]
            if f" {names[a]} " in f" {names[b]} " or names[a] == _without_initials(names[b])
        }
        short, long = find_indices_of_nested_names(names)
        assert set(zip(short.tolist(), long.tolist(), strict=True)) == pairs

    def test_two_thousand_names_take_milliseconds(self) -> None:
        names = [f"the {number % 40} company of {number} and sons" for number in range(1000)]
        names += [f"{number}" for number in range(1000)]
        begun = time.process_time()
        find_indices_of_nested_names(names)
        assert time.process_time() - begun < 0.5


class TestWrittenAsName:
    @pytest.mark.parametrize(
        ("surface", "begins", "expected"),
        [
            ("Meehan Bonnar", False, True),
            ("trucks", False, False),
            ("iPhone", False, True),
            ("1984", False, True),
            ("Who", True, False),  # any first word begins with a capital
            ("Kim Jong-chul", True, True),
            ("東京", False, False),
            ("", False, False),
        ],
    )
    def test_capitals_and_digits(self, surface: str, begins: bool, expected: bool) -> None:
        assert is_written_as_name(surface, is_first_word=begins) is expected

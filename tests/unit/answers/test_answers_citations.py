"""Requirement 10.2: sentences and marks out of any pieces, made-up numbers out, quotes that stand in their
chunk.
"""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.answers.citations import (
    CitedSentence,
    ExistingChunk,
    SentenceReader,
    build_citation,
    list_notes_on_contested_or_ended_citations,
    update_position_of_citation,
)
from app.answers.shapes import Context, ContextFormat, NumberedQuote, Source
from app.ids import ChunkId, DocumentId, create_id
from tests.support.sampling import sampled

KNOWN = (1, 2, 3)
ELSEWHERE = "01a1fe08-f9b0-719a-a118-841e450992dd"
TEXT = "Ada Lovelace wrote the first program.\nCharles Babbage designed the engine. It was never built."


def read(text: str, sizes: list[int] | None = None) -> list[CitedSentence]:
    """The sentences of a text that comes in pieces of these sizes, then as one piece."""
    reader = SentenceReader(KNOWN)
    found = []
    for size in sizes or []:
        found += reader.feed_and_take_sentences(text[:size])
        text = text[size:]
    return [*found, *reader.feed_and_take_sentences(text), *reader.take_remaining_sentences()]


def source(text: str = TEXT, number: int = 1, char_start: int = 100) -> Source:
    return Source(
        number, ChunkId(create_id()), DocumentId(create_id()), "Engines", ("History",), text, char_start
    )


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Ada wrote notes [1].", [("Ada wrote notes.", (1,), ())]),
        ("Ada wrote [1] notes [2][1].", [("Ada wrote notes.", (1, 2), ())]),
        ("Notes [1, 3] and [1-3].", [("Notes and.", (1, 3, 2), ())]),
        ("It was. [1] Then [2].", [("It was.", (1,), ()), ("Then.", (2,), ())]),
        ("It was.[1] Then it went.[2]", [("It was.", (1,), ()), ("Then it went.", (2,), ())]),
        (
            "One 【1】. Two [source 2]. Three [^3].",
            [("One.", (1,), ()), ("Two.", (2,), ()), ("Three.", (3,), ())],
        ),
        ("None here. One [1].", [("None here.", (), ()), ("One.", (1,), ())]),
        ("Made up [99].", [("Made up.", (), ("[99]",))]),
        ("Half [1, 99].", [("Half.", (1,), ("[99]",))]),
        ("Zero [0] minus [-1].", [("Zero minus [-1].", (), ("[0]",))]),
        (f"Theirs [{ELSEWHERE}].", [("Theirs.", (), (f"[{ELSEWHERE}]",))]),
        (f"Huge [{'9' * 1_500}].", [("Huge.", (), (f"[{'9' * 40}]",))]),
        ("As he wrote [sic] it [1].", [("As he wrote [sic] it.", (1,), ())]),
        ("[99]", [("", (), ("[99]",))]),
        ("[1]", []),
        ("", []),
        ("- one [1]\n- two [2]", [("- one", (1,), ()), ("- two", (2,), ())]),
        ("Nul\x00 and \ud83d\ude00 and \ud800 [1].", [("Nul and 😀 and \ufffd.", (1,), ())]),
    ],
)
def test_sentences_and_their_marks(
    written: str, found: list[tuple[str, tuple[int, ...], tuple[str, ...]]]
) -> None:
    assert [(sentence.text, sentence.numbers, sentence.unknown_marks) for sentence in read(written)] == found


STORIES = st.lists(
    st.sampled_from(
        [
            "Ada wrote notes",
            " [1]",
            "[2]",
            " [99]",
            ". ",
            ".",
            " [",
            "1",
            "2]",
            "Acme Inc. ",
            "\n\n",
            "e.g. this ",
            "It ",
        ]
    ),
    max_size=25,
).map("".join)


@given(STORIES, st.lists(st.integers(1, 9), max_size=30))
def test_it_does_not_matter_how_the_text_is_cut(text: str, sizes: list[int]) -> None:
    """A mark or an abbreviation may be cut between two pieces."""
    whole, cut = read(text), read(text, sizes)
    assert " ".join(sentence.text for sentence in cut) == " ".join(sentence.text for sentence in whole)
    assert sorted(mark for sentence in cut for mark in sentence.unknown_marks) == sorted(
        mark for sentence in whole for mark in sentence.unknown_marks
    )
    assert {number for sentence in cut for number in sentence.numbers} == {
        number for sentence in whole for number in sentence.numbers
    }


@given(st.text(max_size=300), st.lists(st.integers(1, 20), max_size=20))
def test_any_text_is_read_to_storable_sentences_without_unknown_numbers(text: str, sizes: list[int]) -> None:
    for sentence in read(text, sizes):
        sentence.text.encode()
        assert "\x00" not in sentence.text
        assert set(sentence.numbers) <= set(KNOWN)


def test_a_sentence_is_given_out_when_the_next_has_begun() -> None:
    reader = SentenceReader(KNOWN)
    assert reader.feed_and_take_sentences("Ada wrote notes. [1") == []
    assert reader.feed_and_take_sentences("2, 1] Ch") == []
    assert [sentence.text for sentence in reader.feed_and_take_sentences("arles built it")] == [
        "Ada wrote notes."
    ]
    assert [sentence.text for sentence in reader.take_remaining_sentences()] == ["Charles built it"]


@pytest.mark.parametrize("unit", sampled(["a", " ", "[", "[1", "[1,", ". ", "[1]", "\n"], every=2))
def test_what_has_no_end_takes_linear_time(unit: str) -> None:
    reader = SentenceReader(KNOWN)
    begun = time.process_time()
    for _ in range(400):
        reader.feed_and_take_sentences(unit * 50)
    reader.take_remaining_sentences()
    assert time.process_time() - begun < 2.5


def test_a_citation_quotes_the_sentence_that_says_most_of_it() -> None:
    one = source()
    cited = build_citation(one, ["The engine was Charles Babbage's design."])
    assert cited.quote == "Charles Babbage designed the engine."
    assert one.text[cited.char_start - 100 : cited.char_end - 100] == cited.quote
    both = build_citation(one, ["Babbage designed an engine.", "A program was written by Ada."])
    assert both.quote == "Ada Lovelace wrote the first program.\nCharles Babbage designed the engine."
    assert build_citation(one, ["Völlig anders."]).quote == one.text
    listed = replace(one, text="Designs:\n- The engine by\nBabbage.\n- Notes by Ada.")
    assert build_citation(listed, ["The engine by Babbage."]).quote == "The engine by\nBabbage."
    assert build_citation(one, ["It was never built."]).quote == "It was never built."


class TestChecking:
    def standing(self, text: str = TEXT, char_start: int = 100) -> ExistingChunk:
        return ExistingChunk(DocumentId(create_id()), "Renamed", text, char_start)

    def test_what_stands_stays(self) -> None:
        cited = build_citation(source(), ["It was never built."])
        found = update_position_of_citation(cited, {cited.chunk_id: self.standing()})
        assert found is not None
        assert (found.quote, found.char_start, found.char_end) == (
            cited.quote,
            cited.char_start,
            cited.char_end,
        )
        assert found.document_title == "Renamed"

    def test_a_chunk_that_moved_is_followed(self) -> None:
        cited = build_citation(source(), ["It was never built."])
        found = update_position_of_citation(cited, {cited.chunk_id: self.standing(char_start=7)})
        assert found is not None
        assert found.char_start == cited.char_start - 93

    @pytest.mark.parametrize("text", ["Something else.", "it was never built."])
    def test_a_chunk_that_does_not_hold_the_quote_is_none(self, text: str) -> None:
        cited = build_citation(source(), ["It was never built."])
        assert update_position_of_citation(cited, {cited.chunk_id: self.standing(text)}) is None
        assert update_position_of_citation(cited, {}) is None
        assert update_position_of_citation(cited, {ChunkId(create_id()): self.standing()}) is None


def test_a_note_tells_of_what_was_said_too_late() -> None:
    """A model may cite it all the same."""
    cited = build_citation(source(), ["It was never built."])
    context = Context(
        (source(),),
        "",
        ContextFormat.NARRATIVE,
        later_quotes=(NumberedQuote(1, cited.quote), NumberedQuote(2, "Other.")),
    )
    assert list_notes_on_contested_or_ended_citations({1: cited}, context) == [
        "What [1] says was said only after the moment asked about."
    ]
    assert list_notes_on_contested_or_ended_citations({}, context) == []


def test_a_quote_over_several_lines_is_cited_whole() -> None:
    cited = build_citation(
        source("Do you ship to Norway?\n\nNo.\n\nDo you ship to Finland?"), ["Do you ship to Norway? No."]
    )
    assert cited.quote == "Do you ship to Norway?\n\nNo."


def test_a_note_tells_of_a_contradiction_where_one_side_of_it_is_cited() -> None:
    """Whoever reads one side learns of the other, by all numbers of the contradiction."""
    cited = build_citation(source(), ["It was never built."])
    context = Context((source(),), "", ContextFormat.NARRATIVE, contested=((1, 3), (4, 5)))
    assert list_notes_on_contested_or_ended_citations({1: cited}, context) == [
        "The passages contradict one another: [1] [3]."
    ]
    assert list_notes_on_contested_or_ended_citations({2: cited}, context) == []

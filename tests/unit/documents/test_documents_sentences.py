"""Where sentences begin and end (requirement 2.2, docs/decisions/0002)."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.documents.sentences import after_list_mark, sentence_ranges


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_ranges(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Ada Lovelace met Prof. Babbage.", "They talked."],
        ["E. F. Codd worked at I.B.M. in San Jose.", "He wrote a paper."],
        ["Acme Inc. bought Beta Ltd. in 1999.", "Then it closed."],
        ["It was bought by Acme Inc.", "The price is unknown."],
        ["PostgreSQL 9.6 grew by 3.5 percent.", "Version 10 followed."],
        ["The U.S. Government paid.", "Nobody asked."],
        ["Use a fruit, e.g. Apples or pears.", "Done."],
        ["See Fig. 3 and No. 5 in Vol. 2.", "It helps."],
        ["He said no.", "Then he left."],
        ["He waited...", "Then he left."],
        ["He waited... and left."],
        ["Was it so?", "Yes!", "Really?!", "Yes."],
        ['She said "It is done."', "He nodded."],
        ['"Why?" he asked.', "Nobody knew."],
        ["It worked (twice!).", "(It was late.)", "All slept."],
        ["“Quoted.”", "‘Also.’", "End"],
        ["It began in 1970.", "He wrote it."],
        ["これは文です。", "次の文！", "終わり？"],
        ["彼は「はい。」と言った。", "終わり。"],
        ["Visit example.com or run v1.2.3 now.", "Bye."],
        ["Edgar A. Poe wrote it.", "A. Camus did not."],
        ["David P. Reed met Anna V. Smith.", "They talked."],
        ["It came out in June 2024.", "pgvector is older.", "libSQL is not."],
        ["The U.S. economy and Acme Inc. shares rose approx. five percent, i.e. a lot."],
        ["He paid the Dept. of Health, the Calif. state and so on etc. in full."],
        ["Я пришёл.", "Он ушёл."],
        ["هل وصلت؟", "نعم."],
    ],
    ids=lambda sentences: sentences[0][:30],
)
def test_a_line_is_split_into_its_sentences(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A heading\n\nA sentence. Another.", ["A heading", "A sentence.", "Another."]),
        ("wrapped\nline. Next", ["wrapped\nline.", "Next"]),
        ("- one\n- two\n* three", ["- one", "- two", "* three"]),
        ("1. First item\n2. Second item", ["1. First item", "2. Second item"]),
        ("a | b\n1 | 2", ["a | b", "1 | 2"]),
        ("", []),
        (" \n\n\t ", []),
        (".", ["."]),
    ],
)
def test_blocks_end_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- one", "one"),
        ("•  one", "one"),
        ("12. one", "one"),
        ("b) one", "one"),
        ("-one", "-one"),
        ("2024. Then", "2024. Then"),
        ("A one", "A one"),
        ("- ", "- "),
    ],
)
def test_the_mark_of_a_list_item_is_none_of_its_words(text: str, words: str) -> None:
    assert text[after_list_mark(text, 0, len(text)) :] == words


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aB1. !?\n\"')(。」-|\tDr"), max_size=200))
def test_ranges_are_exact_ordered_and_lose_nothing_but_white_space(text: str) -> None:
    """Requirement 2.2: character ranges are exact."""
    position = 0
    for start, end in sentence_ranges(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize("unit", ["!", "a. ", ". ", ".)", "\n \t", "(", "。", "Dr. ", "a | b\n"])
def test_time_stays_linear_on_hostile_text(unit: str) -> None:
    begin = time.process_time()
    sentence_ranges(unit * 100_000)
    assert time.process_time() - begin < 5

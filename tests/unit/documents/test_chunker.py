"""Chunks: exact slices along sentences, counted in tokens (requirement 2.2)."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semantic_text_splitter import TextSplitter

from app.documents.chunker import MAX_CHUNK_BYTES, find_unchunked_ranges, split_into_chunks
from app.documents.parsing import parse_document
from app.documents.sentences import split_sentences
from app.documents.shapes import ChunkDraft, ParsedDocument, Section
from app.documents.token_counts import count_tokens
from app.domain.table_headers import remove_table_header_from_headings
from tests.support.sampling import sampled

SENTENCE = "Ada Lovelace wrote the first program for the Analytical Engine in 1843."


def text_document(text: str) -> ParsedDocument:
    return ParsedDocument(text, (Section(0, len(text)),))


def assert_sound(document: ParsedDocument, chunks: list[ChunkDraft], max_tokens: int) -> None:
    position = 0
    for ordinal, draft in enumerate(chunks):
        assert draft.ordinal == ordinal
        assert draft.text == document.text[draft.char_start : draft.char_end]
        assert draft.text == draft.text.strip() != ""
        assert draft.char_start >= position
        assert draft.token_count == count_tokens(draft.text) <= max_tokens
        assert len(draft.text.encode()) <= MAX_CHUNK_BYTES
        owner = [section for section in document.sections if section.start < draft.char_end <= section.end]
        assert [section.heading_path for section in owner] == [
            remove_table_header_from_headings(draft.heading_path)
        ]
        position = draft.char_end


WORDS = st.sampled_from(
    [
        "alpha",
        "Beta",
        "Dr.",
        "9.6",
        "end.",
        "why?",
        "so!",
        "x" * 90,
        "漢字。",
        "é",
        "🙂",
        "U.S.",
        "\n",
        "- item",
        "|",
    ]
)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.booleans(), st.lists(WORDS, max_size=120)), max_size=6),
    st.integers(min_value=16, max_value=64),
)
def test_chunks_are_exact_cover_everything_and_never_split_a_sentence_that_fits(
    sections: list[tuple[bool, list[str]]], max_tokens: int
) -> None:
    """Requirements 2.2 and 18.2, as a property of any document."""
    text = ""
    made: list[Section] = []
    for number, (has_heading, words) in enumerate(sections):
        text += "\n\n" if text else ""
        start = len(text)
        path: tuple[str, ...] = ()
        if has_heading:
            path = (f"Heading {number}",)
            text += path[0] + "\n\n"
        text += " ".join(words)
        if len(text) > start:
            made.append(Section(start, len(text), path))
    document = ParsedDocument(text, tuple(made))
    chunks = split_into_chunks(document, max_tokens=max_tokens)
    assert_sound(document, chunks, max_tokens)

    assert find_unchunked_ranges(text, chunks) == []

    edges = {draft.char_start for draft in chunks} | {draft.char_end for draft in chunks}
    for section in made:
        body = section.start + (len(section.heading_path[0]) if section.heading_path else 0)
        for start, end in split_sentences(text[body : section.end]):
            start, end = body + start, body + end
            if count_tokens(text[start:end]) <= max_tokens:
                assert not any(start < edge < end for edge in edges)


def test_small_paragraphs_are_packed_up_to_the_limit() -> None:
    """Requirement 2.2: paragraphs of one section share a chunk while they fit."""
    document = text_document("\n\n".join([SENTENCE] * 40))
    chunks = split_into_chunks(document, max_tokens=100)
    assert_sound(document, chunks, 100)
    assert all(60 < draft.token_count <= 100 for draft in chunks[:-1])


def test_a_heading_goes_with_its_text_and_a_bare_one_with_what_follows() -> None:
    """Requirements 2.2 and 18.2: chunks know their heading path, and no heading is left out."""
    markdown = f"# Empty\n\n# Guide\n\n## Setup\n\n{SENTENCE}\n\n## Last\n"
    chunks = split_into_chunks(parse_document(markdown.encode(), "markdown"))
    assert [(draft.text, draft.heading_path) for draft in chunks] == [
        (f"Empty\n\nGuide\n\nSetup\n\n{SENTENCE}", ("Guide", "Setup")),
        ("Last", ("Guide", "Last")),
    ]


def test_a_document_of_headings_alone_keeps_them() -> None:
    chunks = split_into_chunks(parse_document(b"# One\n\n## Two\n", "markdown"))
    assert [(draft.text, draft.heading_path) for draft in chunks] == [("One\n\nTwo", ("One", "Two"))]


def test_a_paragraph_above_a_rule_is_a_heading_that_stands_in_a_chunk() -> None:
    """Review A6: Markdown reads the paragraph as a heading without text, which stood in no chunk."""
    raw = b"The reserve key lies under the stone.\n---\n\n## Next\n\nMore.\n"
    chunks = split_into_chunks(parse_document(raw, "markdown"))
    assert [draft.text for draft in chunks] == ["The reserve key lies under the stone.\n\nNext\n\nMore."]


def test_a_heading_stands_in_a_chunk_of_its_own_where_its_text_leaves_no_room() -> None:
    """Requirement 18.2: a heading that did not fit with the sentence below it was left out."""
    heading, sentence = "Rules of the house " * 3, f"They {'and they ' * 20}agree."
    document = parse_document(f"# {heading}\n\n{sentence}\n".encode(), "markdown")
    chunks = split_into_chunks(document, max_tokens=count_tokens(sentence) + 1)
    assert [draft.text for draft in chunks] == [heading.strip(), sentence]
    assert_sound(document, chunks, count_tokens(sentence) + 1)


def test_hundreds_of_bare_headings_fill_chunks_under_their_own_paths() -> None:
    """Requirement 18.2: what waits for text is no more than half a chunk."""
    markdown = "\n\n".join(f"## Part {number} of the list" for number in range(300))
    document = parse_document(markdown.encode(), "markdown")
    chunks = split_into_chunks(document, max_tokens=64)
    assert_sound(document, chunks, 64)
    assert find_unchunked_ranges(document.text, chunks) == []
    assert all(draft.text.endswith(draft.heading_path[-1]) for draft in chunks)


def test_an_underlined_heading_takes_its_rule_along() -> None:
    chunks = split_into_chunks(parse_document(b"Title\n=====\n\nBody text.\n\nPart\n----\n", "text"))
    assert [(draft.text, draft.heading_path) for draft in chunks] == [
        ("Title\n=====\n\nBody text.", ("Title",)),
        ("Part\n----", ("Title", "Part")),
    ]


def test_records_and_turns_are_never_joined() -> None:
    """Requirements 2.1 and 5.6: one chunk per record and per turn, with its speaker and time."""
    raw = (
        b'{"turns": [{"speaker": "Ada", "text": "Hi.", "time": "2024-05-01T10:00:00+02:00"}, {"text":'
        b' "Yes."}]}'
    )
    chunks = split_into_chunks(parse_document(raw, "conversation"))
    assert [(draft.text, draft.speaker) for draft in chunks] == [("Ada: Hi.", "Ada"), ("Yes.", None)]
    assert chunks[0].said_at is not None
    assert chunks[0].said_at.isoformat() == "2024-05-01T08:00:00+00:00"
    records = split_into_chunks(parse_document(b'[{"name": "Acme"}, {"name": "Beta"}]', "json"))
    assert [draft.text for draft in records] == ["Acme", "Beta"]


@pytest.mark.parametrize(
    "unit", sampled(["a", "!", "漢字", "🙂", "lorem ipsum ", " = ", "e\u0301", "\t|"], every=2)
)
def test_a_line_without_an_end_is_cut_under_every_limit(unit: str) -> None:
    """Bad input 46: a single passage of 2.4 MB would break full-text search."""
    document = text_document((unit * (200_000 // len(unit))).strip())
    begin = time.process_time()
    chunks = split_into_chunks(document)
    assert time.process_time() - begin < 20
    assert_sound(document, chunks, 256)
    joined = "".join(draft.text for draft in chunks)
    assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", document.text)


def test_a_megabyte_of_prose_is_chunked_in_seconds() -> None:
    document = text_document("\n\n".join([" ".join([SENTENCE] * 5)] * 2_800))
    begin = time.process_time()
    chunks = split_into_chunks(document)
    assert time.process_time() - begin < 10
    assert_sound(document, chunks, 256)


def test_the_limit_has_a_floor() -> None:
    with pytest.raises(ValueError, match="at least 16"):
        split_into_chunks(text_document("x"), max_tokens=15)


def exact_count(text: str) -> int:
    low, high = 1, len(text.encode())
    while low < high:
        middle = (low + high) // 2
        whole = len(TextSplitter.from_tiktoken_model("gpt-4o", middle, trim=False).chunks(text)) <= 1
        low, high = (low, middle) if whole else (middle + 1, high)
    return low


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "Hello  world\n\n\nfoo.\n\n- Bar's DON'T 12345 ... =====",
        "漢字と仮名。日本語のテキスト。",
        "Ünïcödé ñandú straße 🏳️‍🌈 ok",
        "def f(x):\n    return x  # hi\n\n\n    y = 3",
        " \n x\t\ty https://example.com/a/b?c=d&e=f",
        "tab\t  spaces \n \n end \u00a0 nbsp",
        "a\n \nb and \n\n \n c",
        "हिन्दी में लिखा हुआ पाठ। أهلا بالعالم؟ נעם",
    ],
)
def test_tokens_are_counted_as_the_vocabulary_counts_them(text: str) -> None:
    """Requirement 2.2: chunks are counted in model tokens."""
    assert count_tokens(text) == exact_count(text)


def test_an_empty_text_has_no_tokens() -> None:
    assert count_tokens("") == 0

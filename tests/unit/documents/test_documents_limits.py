"""One document is bounded in characters, rows, values, chunks and runs of marks, and is read in linear
time.
"""

import json
import time
import unicodedata

import pytest

from app import limits
from app.documents.chunker import split_into_chunks
from app.documents.parsers.limits import ParseLimits
from app.documents.parsing import parse_document
from tests.support.reading import parse_isolated
from tests.unit.documents.test_documents_refusals import code_of

SMALL = ParseLimits(characters=1_000, rows=10, values=20)
# Classes 230 and 220 in turn: the order in which sorting them takes the longest.
MARKS = "\u0301\u0323" * 75_000


def test_marks_beyond_thirty_in_a_row_are_left_out_and_counted() -> None:
    document = parse_document(f"Zal{MARKS}go met Anna.".encode(), "text")
    assert document.dropped_marks == 150_000 - limits.MARKS.maximum
    assert document.text.startswith(unicodedata.normalize("NFC", "Zal" + MARKS[: limits.MARKS.maximum]))
    assert document.text.endswith("go met Anna.")
    chunks = split_into_chunks(document)
    assert [document.text[chunk.char_start : chunk.char_end] for chunk in chunks] == [
        chunk.text for chunk in chunks
    ]


def test_marks_of_real_scripts_stay_as_they_are() -> None:
    text = "Việt Nam, ที่นี่, हिन्दी, שָׁלוֹם, é"
    document = parse_document(text.encode(), "text")
    assert document.text == unicodedata.normalize("NFC", text)
    assert document.dropped_marks == 0


@pytest.mark.parametrize(
    ("raw", "format"),
    [
        (f"a{MARKS}".encode(), "text"),
        (f"# a{MARKS}\n\nb".encode(), "markdown"),
        (f"<p>a{MARKS}</p>".encode(), "html"),
        (f"name\na{MARKS[:120_000]}\n".encode(), "csv"),
        (json.dumps({"name": f"a{MARKS}"}).encode(), "json"),
        (json.dumps([{"speaker": "A", "text": f"a{MARKS}"}]).encode(), "conversation"),
    ],
)
def test_300_kilobytes_of_combining_marks_cost_no_more_than_other_text(raw: bytes, format: str) -> None:
    """CPython gh-149079: normalising them as they are takes minutes."""
    begin = time.monotonic()
    document = parse_isolated(raw, format)
    split_into_chunks(document)
    assert time.monotonic() - begin < 8
    assert document.dropped_marks > 100_000


@pytest.mark.parametrize(
    ("raw", "format", "code"),
    [
        (b"word " * 300, "text", "document_too_large"),
        (b"a\n" + b"1\n" * 11, "csv", "too_many_rows"),
        (b'{"a": 1}\n' * 11, "jsonl", "too_many_rows"),
        (json.dumps([{"a": 1}] * 11).encode(), "json", "too_many_values"),
        (json.dumps([{}] * 11).encode(), "json", "too_many_rows"),
        (json.dumps(dict.fromkeys(map(str, range(21)), 1)).encode(), "json", "too_many_values"),
        (json.dumps([{"text": "a"}] * 11).encode(), "conversation", "too_many_values"),
    ],
)
def test_a_document_over_a_limit_says_which(raw: bytes, format: str, code: str) -> None:
    assert code_of(lambda: parse_document(raw, format, SMALL)) == code


def test_the_child_keeps_the_same_limits() -> None:
    raw = b"a,b\n" + b"1,2\n" * 100_000
    assert code_of(lambda: parse_isolated(raw, "csv")) == "too_many_rows"


def test_the_child_bounds_the_memory_of_json() -> None:
    raw = b"[" + b"[]," * 8_000_000 + b"[]]"
    code = code_of(lambda: parse_isolated(raw, "json", memory_bytes=64 * 1024 * 1024))
    assert code in ("too_large_to_parse", "too_many_values")


def test_a_document_of_too_many_chunks_is_refused_before_all_are_cut() -> None:
    document = parse_document(b"a\n" + b"1\n" * 40_000, "csv")
    begin = time.monotonic()
    assert code_of(lambda: split_into_chunks(document, max_chunks=10)) == "too_many_chunks"
    assert time.monotonic() - begin < 1

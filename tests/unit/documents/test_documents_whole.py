"""Whatever a generated document holds stands in one of its chunks (requirements 18.2 and 18.5)."""

import json
import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.documents.chunker import find_unchunked_ranges, split_into_chunks
from app.documents.parsing import parse_document
from app.documents.shapes import ParsedDocument, UnchunkedRange
from app.errors import InvalidInput

WORD = re.compile(r"w\d+x")
_SPACES = ["", "\n", "\n\n", "\r\n", "\r", "\u2028", "\u00a0", " \t ", "\u3000\n", "\x0c", "\u200b", "\n \n"]


def chunk_texts(raw: str, format: str, max_tokens: int) -> str:
    """The text of all chunks, whose every gap is looked at; "" for a document that is refused as empty."""
    try:
        document = parse_document(raw.encode(), format)
    except InvalidInput as error:
        if error.code != "empty_document":
            raise
        return ""
    drafts = split_into_chunks(document, max_tokens=max_tokens)
    assert find_unchunked_ranges(document.text, drafts) == []
    return "\n".join(draft.text for draft in drafts)


def assert_every_word_stands(raw: str, format: str, max_tokens: int) -> None:
    """Each of the numbered words of a document stands in one of its chunks."""
    assert set(WORD.findall(raw)) <= set(WORD.findall(chunk_texts(raw, format, max_tokens))), raw


# In a template each @ is a word of its own.
_LINES = st.sampled_from(
    [
        "@", "# @", "# @ @", "###### @ @", "@\n===", "# @.\n---", "# @ @\n- - -", "---", "***", "> @",
        "> - @",
        ">> @ @\n> @", "- @", "  - @ @", "* @\n\n  @", "1. @", "7) @ @", "- [ ] @", "    @", "\t# @",
        "```\n# @\n```",
        "~~~ @ @\n@\n~~~", "```py\n@", "| @ | @ |\n|---|:-:|\n| @ | @ | @ | @ |\n| @ |", "# | @\n-|-\n@|@|@",
        "> | @ | @ |\n> |---|---|\n> | @ | @ | @ |", "[@](http://a.b)", "![@](c.png)", "[@][ref] [@]",
        "**@** *@* _@_ ~~@~~ `@` ``# ` @``", "<b>@</b> @<br># <i>@", "<div>@</div>",
        "<table><tr><td>@<td>@</table>",
        "<p>@\n\n# <br> @", "<script>\n# @", "<!--\n@\n\n@", "<div>\n\n@\n\n</div> @",
         "\\# &amp; @ &lt;@",
        "#  \n@", "@\\\n@", "* * *\n@", "+ @\n# lazy", "@:\n: @", "<td>@</td>", "</b> @",
        "- @ @\n---\n- @", "> @ @\n---", "  @\n  ---", "@|@\n---", "- - - - - - - - - - - - @",
        "> " * 40 + "@",
        "[^1]: @", "@[^1]", "[@]: @", "[a]: http://b.c", "<!DOCTYPE html> @", "<?php\n@", "$$ @ $$",
        "::: @\n@\n:::", "&@65; @",
    ]
)  # fmt: skip
_FRONT = st.sampled_from(
    [
        "", "", "---\ntitle: @\ntags:\n  - @\n# @\n---\n", "---\n@\n\n# @\n---\n", "---\n@: @\n...\n",
        "---\n---\n@\n",
        "---\n# @\n", "---\nkey: [@,\n @]\n---\n", "---\nA: @\n\nB: @\n---\n", "----\n@\n---\n",
    ]
)  # fmt: skip


def numbered(template: str) -> str:
    """The template with a word of its own for each @."""
    numbers = count(1)
    return re.sub("@", lambda _: f"w{next(numbers)}x", template)


@settings(max_examples=250, deadline=None)
@given(
    front=_FRONT,
    parts=st.lists(
        st.tuples(_LINES, st.sampled_from(["\n", "\n\n", "\r\n\r\n", "\n \n", "  \n"])), max_size=12
    ),
    indent=st.sampled_from(["", "", "", "> ", "  "]),
    max_tokens=st.sampled_from([16, 64, 256]),
)
def test_every_word_of_markdown_stands_in_a_chunk(
    front: str, parts: list[tuple[str, str]], indent: str, max_tokens: int
) -> None:
    body = "".join(line + gap for line, gap in parts)
    if indent:
        body = "".join(indent + line for line in body.splitlines(keepends=True))
    raw = numbered(front + body)
    if WORD.search(raw):
        assert_every_word_stands(raw, "markdown", max_tokens)


@settings(max_examples=150, deadline=None)
@given(
    parts=st.lists(
        st.tuples(
            st.sampled_from(["@", "# @.", "@: @", "@\n===", "# @\n----", "- @", "| @ |", "@,@"]),
            st.sampled_from(_SPACES),
        ),
        max_size=30,
    ),
    max_tokens=st.sampled_from([16, 256]),
)  # fmt: skip
def test_every_word_of_plain_text_stands_in_a_chunk(parts: list[tuple[str, str]], max_tokens: int) -> None:
    raw = numbered("".join(line + gap for line, gap in parts))
    if WORD.search(raw):
        assert_every_word_stands(raw, "text", max_tokens)


# Not buttons, whose words are no content (record 161).
_TAGS = "div p h1 h3 ul ol li table tr td th pre br b span section blockquote dl dt dd label a details caption tbody".split()  # noqa: E501, SIM905
_HTML = st.recursive(
    st.just(" @ "),
    lambda inner: st.one_of(
        st.builds("<{0}>{1}</{0}>".format, st.sampled_from(_TAGS), inner),
        st.builds("<{0}>{1}".format, st.sampled_from(_TAGS), inner),
        st.builds("{0} {1}".format, inner, inner),
        st.builds("{0}</{1}>{2}".format, inner, st.sampled_from(_TAGS), inner),
    ),
    max_leaves=12,
)


@settings(max_examples=250, deadline=None)
@given(body=_HTML, whole=st.booleans(), max_tokens=st.sampled_from([16, 256]))
def test_every_word_of_a_page_stands_in_a_chunk(body: str, whole: bool, max_tokens: int) -> None:
    page = f"<html><head><title>T</title></head><body>{body}</body></html>" if whole else body
    assert_every_word_stands(numbered(page), "html", max_tokens)


_KEYS = st.sampled_from(["name", "title", "text", "Note", "a.b", "first name", "last name", "x: y", ""])
_VALUES = st.recursive(
    st.sampled_from(["@", "# @", "@\n@", "@: @", "@\n\n@", " # ", 1, True, None, ""]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(
    records=st.lists(st.dictionaries(_KEYS, _VALUES, max_size=5), min_size=1, max_size=3), lines=st.booleans()
)
def test_every_value_of_records_stands_in_a_chunk(records: list[dict[str, object]], lines: bool) -> None:
    written = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    format = "jsonl" if lines else "json"
    assert_every_word_stands(numbered(written), format, 256)


@settings(max_examples=100, deadline=None)
@given(
    header=st.lists(_KEYS, min_size=1, max_size=4),
    rows=st.lists(
        st.lists(st.sampled_from(["@", "# @", "", '"@, @"', '"@\n@"', "@; @"]), max_size=6), max_size=4
    ),
)
def test_every_cell_of_a_table_stands_in_a_chunk(header: list[str], rows: list[list[str]]) -> None:
    first = [*header[:-1], f"{header[-1]} head"]
    raw = numbered("\n".join(",".join(row) for row in [first, *rows]) + "\n")
    assert_every_word_stands(raw, "csv", 256)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["Ann", "", "A: b"]), st.sampled_from(["@", "# @\n@", "\n# \n", ""])),
        max_size=6,
    )
)
def test_every_turn_stands_in_a_chunk(turns: list[tuple[str, str]]) -> None:
    raw = json.dumps({"turns": [{"speaker": speaker, "text": text} for speaker, text in turns]})
    assert_every_word_stands(numbered(raw), "conversation", 16)


def test_what_stands_in_no_chunk_is_named_by_its_range() -> None:
    """The check itself: with a chunk taken away, what it held is left out, and white space is not."""
    document: ParsedDocument = parse_document(
        b"# One\n\nFirst.\n\n# Two\n\n Second. \n\n# Three\n\nThird.", "markdown"
    )
    drafts = split_into_chunks(document)
    assert find_unchunked_ranges(document.text, drafts) == []
    gap = drafts[1]
    assert find_unchunked_ranges(document.text, [drafts[0], drafts[2]]) == [
        UnchunkedRange(gap.char_start, gap.char_end)
    ]
    assert find_unchunked_ranges(document.text, []) == [UnchunkedRange(0, len(document.text))]
    assert find_unchunked_ranges("\n \u200b\n", []) == []


@pytest.mark.parametrize(
    "raw",
    [
        "The reserve key w1x lies under the stone.\n---\n\n## Next w2x",
        "---\nThe reserve key w1x lies under the stone.\n\nMore.\n---\nRest w2x.",
        "| a | b |\n|---|---|\n| c | d | w1x |",
        "> " * 30 + "w1x",
        "".join("  " * depth + f"- w{depth}x\n" for depth in range(1, 40)),
        "<script> is a tag.\n\nThe key w1x lies under the stone.",
        "``` The key w1x\nlies under w2x\n```",
    ],
)
def test_markdown_that_its_parser_would_leave_out(raw: str) -> None:
    """Review A6 and its siblings: a bare heading, text between rules, further cells, deep lists."""
    assert_every_word_stands(raw, "markdown", 256)

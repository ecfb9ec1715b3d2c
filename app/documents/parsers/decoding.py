"""From bytes to characters: by mark, by UTF-8, by declaration, else by what the bytes look like."""

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from app.errors import UnsupportedFormat
from app.lazy import LazyModule

if TYPE_CHECKING:
    import charset_normalizer
else:
    charset_normalizer = LazyModule("charset_normalizer")

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_DECLARATION_BYTES = 2_048
# Enough to tell encodings apart; its time grows with the text.
_SAMPLE_BYTES = 32_768
# What the declaration of a page may name although its bytes are ASCII.
_SEVEN_BITS = re.compile(r"iso-?2022|utf-?7", re.IGNORECASE)
_WESTERN = frozenset(map(chr, range(0x80))) | frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœŠšŽž\u00a0–—‘’“”„‚…•€£§°«»©®™·½¼¾²¿¡ªº´×"
)
"""The characters that texts of Western Europe use of Windows-1252."""
_noted: ContextVar[list[str] | None] = ContextVar("noted_encodings", default=None)


def mark_of(raw: bytes) -> str | None:
    """The encoding that the byte order mark names."""
    return next((name for mark, name in _MARKS if raw.startswith(mark)), None)


def decode(raw: bytes, *, is_markup: bool = False) -> str:
    """The bytes as text; `is_markup` where a page or XML may declare its encoding.

    Raises UnsupportedFormat where no encoding fits.
    """
    for encoding in _iter_encodings(raw, is_markup):
        try:
            text = raw.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        _note_encoding(encoding)
        return text
    raise UnsupportedFormat("The document's text is in no encoding that can be told; save it as UTF-8.")


def _iter_encodings(raw: bytes, is_markup: bool) -> Iterator[str]:
    if (marked_encoding := mark_of(raw)) is not None:
        yield marked_encoding
        return
    declared = _find_declared_encoding(raw) if is_markup else None
    if declared is not None and _SEVEN_BITS.match(declared) is None:
        yield "utf-8"
        yield declared
    elif declared is not None and not declared.lower().startswith("utf"):
        yield declared
    else:
        yield "utf-8"
    yield from _guess_encodings(raw)


def _find_declared_encoding(raw: bytes) -> str | None:
    match = _DECLARED.search(raw[:_DECLARATION_BYTES])
    if match is None:
        return None
    name = (match[1] or match[2]).decode("ascii", "replace")
    try:
        # What a browser takes these for: the letters of the older set, with quotation marks.
        return {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}.get(
            codecs.lookup(name).name, name
        )
    except LookupError:
        return None


def _guess_encodings(raw: bytes) -> Iterator[str]:
    """The likeliest encodings of what is not UTF-8, best first."""
    sample = raw[:_SAMPLE_BYTES]
    if len(raw) > len(sample):
        # A letter of several bytes may be cut at the end.
        sample = sample.rpartition(b"\n")[0] or sample[:-4]
    high = sum(byte > 0x7F for byte in sample)
    if high < 0.3 * len(sample) and _WESTERN.issuperset(sample.decode("cp1252", "replace")):
        # Few letters with accents among ASCII say too little to whoever counts letters.
        yield "cp1252"
    best_match = charset_normalizer.from_bytes(sample).best()
    if best_match is not None:
        yield best_match.encoding
    yield "cp1252"


def _note_encoding(encoding: str) -> None:
    encodings = _noted.get()
    if encodings is not None:
        encodings.append("utf-8" if encoding == "utf-8-sig" else encoding.replace("_", "-").lower())


@contextmanager
def collect_encodings() -> Iterator[list[str]]:
    """Gather the encodings that `decode` chooses inside the block."""
    encodings: list[str] = []
    token = _noted.set(encodings)
    try:
        yield encodings
    finally:
        _noted.reset(token)

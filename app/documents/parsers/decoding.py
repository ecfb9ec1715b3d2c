"""Decode bytes: by byte order mark, as UTF-16 or UTF-8, by declaration, as UTF-8 with a few damaged bytes,
else by a guess from the bytes.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from unicodedata import category

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
_UTF16_SAMPLE_BYTES = 8_192
# More than a twentieth of a text are spaces, in scripts that have them; most of a Latin text is ASCII.
_UTF16_LEAST_SHARE, _UTF16_LATIN_SHARE = 0.05, 0.5
_NOT_ASCII = re.compile(rb"[^\x00\t\n\r\f\x20-\x7e]")
_LINE_CONTROLS = frozenset("\t\n\r\f\v")
# Controls, private use, surrogates and unassigned code points.
_NO_TEXT = frozenset({"Cc", "Co", "Cs", "Cn"})
# Enough to distinguish encodings; the time of the guess grows with the text.
_SAMPLE_BYTES = 32_768
# Encodings that a page may declare although its bytes are ASCII.
_SEVEN_BITS = re.compile(r"iso-?2022|utf-?7", re.IGNORECASE)
_WESTERN = frozenset(map(chr, range(0x80))) | frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœŠšŽž\u00a0–—‘’“”„‚…•€£§°«»©®™·½¼¾²¿¡ªº´×"
)
"""The characters of Windows-1252 that occur in Western European texts."""
# Bytes of another encoding form a character of UTF-8 only by chance, each time less likely.
_LEAST_VALID = 10


@dataclass
class DecodedTexts:
    """The encodings chosen for the texts of a file, in order, and how many characters were damaged."""

    encodings: list[str] = field(default_factory=list)
    damaged_characters: int = 0


_noted: ContextVar[DecodedTexts | None] = ContextVar("decoded_texts", default=None)


def detect_unicode_encoding(raw: bytes) -> str | None:
    """Return the encoding named by the byte order mark, or UTF-16 where the bytes show it, else None."""
    return next((name for mark, name in _MARKS if raw.startswith(mark)), None) or _detect_unmarked_utf16(raw)


def _detect_unmarked_utf16(raw: bytes) -> str | None:
    """Return the kind of UTF-16 if NULs stand at every other byte only, and often enough; else None.

    Spaces and line ends have one in any script. ASCII text with stray NULs is not taken for it: its other
    bytes are ASCII, where UTF-16 has them only beside a NUL. Binary data decodes to control characters and to
    code points that stand for nothing.
    """
    sample = raw[:_UTF16_SAMPLE_BYTES]
    even_zeros, odd_zeros = sample[::2].count(0), sample[1::2].count(0)
    share = 2 * max(even_zeros, odd_zeros) / max(len(sample), 1)
    if len(raw) % 2 or min(even_zeros, odd_zeros) or share < _UTF16_LEAST_SHARE:
        return None
    if share <= _UTF16_LATIN_SHARE and _NOT_ASCII.search(sample) is None:
        return None
    encoding = "utf-16-be" if even_zeros else "utf-16-le"
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    # The sample may end between the halves of a pair.
    text = sample.decode(encoding, "ignore")
    is_text = all(character in _LINE_CONTROLS or category(character) not in _NO_TEXT for character in text)
    return encoding if is_text else None


def decode(raw: bytes, *, is_markup: bool = False) -> str:
    """Decode the bytes; with `is_markup` an encoding declared in HTML or XML is used.

    In a text that is UTF-8 except for a few bytes, these become replacement characters. Raises
    UnsupportedFormat if no encoding fits.
    """
    for encoding, errors in _iter_decodings(raw, is_markup):
        try:
            text = raw.decode(encoding, errors)
        except (UnicodeDecodeError, LookupError):
            continue
        _note_decoded(encoding, _count_replaced(raw, text) if errors == "replace" else 0)
        return text
    raise UnsupportedFormat("The document's text is in no encoding that can be told; save it as UTF-8.")


def _iter_decodings(raw: bytes, is_markup: bool) -> Iterator[tuple[str, str]]:
    """Yield encodings to try, best first, each with what to do with bytes that do not fit."""
    if (unicode_encoding := detect_unicode_encoding(raw)) is not None:
        yield unicode_encoding, "strict"
        return
    declared_encoding = _find_declared_encoding(raw) if is_markup else None
    if declared_encoding is not None and _SEVEN_BITS.match(declared_encoding) is None:
        yield "utf-8", "strict"
        yield declared_encoding, "strict"
    elif declared_encoding is not None and not declared_encoding.lower().startswith("utf"):
        yield declared_encoding, "strict"
    else:
        yield "utf-8", "strict"
    if _is_damaged_utf8(raw):
        yield "utf-8", "replace"
    for encoding in _guess_encodings(raw):
        yield encoding, "strict"


def _is_damaged_utf8(raw: bytes) -> bool:
    """Return whether at least _LEAST_VALID characters beyond ASCII are valid for each that is not."""
    text = raw.decode("utf-8", "replace")
    replaced_count = _count_replaced(raw, text)
    ascii_count = len(raw) - len(raw.translate(None, bytes(range(0x80))))
    return len(text) - replaced_count - ascii_count >= _LEAST_VALID * replaced_count


def _count_replaced(raw: bytes, text: str) -> int:
    """Return the number of replacement characters that the text has beyond those written in the bytes."""
    return text.count("\ufffd") - raw.count("\ufffd".encode())


def _find_declared_encoding(raw: bytes) -> str | None:
    match = _DECLARED.search(raw[:_DECLARATION_BYTES])
    if match is None:
        return None
    name = (match[1] or match[2]).decode("ascii", "replace")
    try:
        # As browsers do: these names stand for supersets.
        return {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}.get(
            codecs.lookup(name).name, name
        )
    except LookupError:
        return None


def _guess_encodings(raw: bytes) -> Iterator[str]:
    """Yield the most likely encodings of bytes that are not UTF-8, best first."""
    sample = raw[:_SAMPLE_BYTES]
    if len(raw) > len(sample):
        # The last character may be cut off.
        sample = sample.rpartition(b"\n")[0] or sample[:-4]
    high_byte_count = sum(byte > 0x7F for byte in sample)
    if high_byte_count < 0.3 * len(sample) and _WESTERN.issuperset(sample.decode("cp1252", "replace")):
        # A few accented letters among ASCII are too little for the statistical guess.
        yield "cp1252"
    best_match = charset_normalizer.from_bytes(sample).best()
    if best_match is not None:
        yield best_match.encoding
    yield "cp1252"


def _note_decoded(encoding: str, damaged_characters: int) -> None:
    texts = _noted.get()
    if texts is not None:
        texts.encodings.append("utf-8" if encoding == "utf-8-sig" else encoding.replace("_", "-").lower())
        texts.damaged_characters += damaged_characters


@contextmanager
def collect_encodings() -> Iterator[DecodedTexts]:
    """Yield what `decode` chooses inside the block."""
    texts = DecodedTexts()
    token = _noted.set(texts)
    try:
        yield texts
    finally:
        _noted.reset(token)

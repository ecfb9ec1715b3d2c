"""Decode bytes: by byte order mark, as UTF-16 or UTF-8, by declaration, as UTF-8 with a few damaged bytes,
else by a guess from the bytes.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import category

from app.documents.parsers.encoding_guesses import find_iso_2022, guess_encodings
from app.errors import UnsupportedFormat

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED_CHARSET = re.compile(
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
_NON_TEXT_CATEGORIES = frozenset({"Cc", "Co", "Cs", "Cn"})
# Encodings that a page may declare although its bytes are ASCII.
_SEVEN_BIT_ENCODING = re.compile(r"iso-?2022|utf-?7", re.IGNORECASE)
# Bytes of another encoding form a character of UTF-8 only by chance. Of 14,151 texts in 69 encodings none has
# two such characters for each run of bytes that form none (docs/decisions/0145).
_MIN_VALID_CHARACTERS_PER_RUN = 2
_REPLACED_RUN = re.compile("\ufffd+")


@dataclass
class DecodedTexts:
    """The encodings chosen for the texts of a file, in order, those of them that are unsure guesses, and how
    many characters were damaged.
    """

    encodings: list[str] = field(default_factory=list)
    unsure_encodings: list[str] = field(default_factory=list)
    damaged_characters: int = 0


_decoded_texts: ContextVar[DecodedTexts | None] = ContextVar("decoded_texts", default=None)


def detect_unicode_encoding(file_bytes: bytes) -> str | None:
    """Return the encoding named by the byte order mark, or UTF-16 where the bytes show it, else None."""
    return next(
        (name for mark, name in _BYTE_ORDER_MARKS if file_bytes.startswith(mark)), None
    ) or _detect_unmarked_utf16(file_bytes)


def _detect_unmarked_utf16(file_bytes: bytes) -> str | None:
    """Return the kind of UTF-16 if NULs stand at every other byte only, and often enough; else None.

    Spaces and line ends have one in any script. ASCII text with stray NULs is not taken for it: its other
    bytes are ASCII, where UTF-16 has them only beside a NUL. Binary data decodes to control characters and to
    code points that stand for nothing.
    """
    sample = file_bytes[:_UTF16_SAMPLE_BYTES]
    even_zeros, odd_zeros = sample[::2].count(0), sample[1::2].count(0)
    zero_share = 2 * max(even_zeros, odd_zeros) / max(len(sample), 1)
    if len(file_bytes) % 2 or min(even_zeros, odd_zeros) or zero_share < _UTF16_LEAST_SHARE:
        return None
    if zero_share <= _UTF16_LATIN_SHARE and _NOT_ASCII.search(sample) is None:
        return None
    encoding = "utf-16-be" if even_zeros else "utf-16-le"
    try:
        file_bytes.decode(encoding)
    except UnicodeDecodeError:
        return None
    # The sample may end between the halves of a pair.
    text = sample.decode(encoding, "ignore")
    is_text = all(
        character in _LINE_CONTROLS or category(character) not in _NON_TEXT_CATEGORIES for character in text
    )
    return encoding if is_text else None


def decode_with_detected_encoding(file_bytes: bytes, *, is_markup: bool = False) -> str:
    """Decode the bytes; with `is_markup` an encoding declared in HTML or XML is used.

    In a text that is UTF-8 except for a few bytes, these become replacement characters. Raises
    UnsupportedFormat if no encoding fits.
    """
    for encoding, error_handler in _iter_decodings(file_bytes, is_markup):
        if (text := _try_decoding(file_bytes, encoding, error_handler)) is not None:
            _note_decoded(
                encoding,
                damaged_characters=_count_added_replacement_characters(file_bytes, text)
                if error_handler == "replace"
                else 0,
            )
            return text
    for guessed_encoding in guess_encodings(file_bytes):
        if (text := _try_decoding(file_bytes, guessed_encoding.encoding, "strict")) is not None:
            _note_decoded(guessed_encoding.encoding, is_sure=guessed_encoding.is_sure)
            return text
    raise UnsupportedFormat("The document's text is in no encoding that can be told; save it as UTF-8.")


def _try_decoding(file_bytes: bytes, encoding: str, error_handler: str) -> str | None:
    try:
        return file_bytes.decode(encoding, error_handler)
    except (UnicodeDecodeError, LookupError):
        return None


class _EncodingChoice(NamedTuple):
    """An encoding, and what to do with bytes that it does not have."""

    encoding: str
    error_handler: str


def _iter_decodings(file_bytes: bytes, is_markup: bool) -> Iterator[_EncodingChoice]:
    """Yield encodings that the bytes show or declare, best first, and what to do with others."""
    if (unicode_encoding := detect_unicode_encoding(file_bytes)) is not None:
        yield _EncodingChoice(unicode_encoding, "strict")
        return
    declared_encoding = _find_declared_encoding(file_bytes) if is_markup else None
    if declared_encoding is not None and _SEVEN_BIT_ENCODING.match(declared_encoding) is None:
        yield _EncodingChoice("utf-8", "strict")
        yield _EncodingChoice(declared_encoding, "strict")
    elif declared_encoding is not None and not declared_encoding.lower().startswith("utf"):
        yield _EncodingChoice(declared_encoding, "strict")
    else:
        if (iso_2022 := find_iso_2022(file_bytes)) is not None:
            yield _EncodingChoice(iso_2022, "strict")
        yield _EncodingChoice("utf-8", "strict")
    if _is_utf8_with_few_invalid_bytes(file_bytes):
        yield _EncodingChoice("utf-8", "replace")


def _is_utf8_with_few_invalid_bytes(file_bytes: bytes) -> bool:
    """Return whether enough characters beyond ASCII are valid for each run of invalid bytes."""
    text = file_bytes.decode("utf-8", "replace")
    run_count = len(_REPLACED_RUN.findall(text)) - file_bytes.count("\ufffd".encode())
    ascii_count = len(file_bytes) - len(file_bytes.translate(None, bytes(range(0x80))))
    valid_count = len(text) - text.count("\ufffd") - ascii_count
    return valid_count >= max(_MIN_VALID_CHARACTERS_PER_RUN * run_count, _MIN_VALID_CHARACTERS_PER_RUN)


def _count_added_replacement_characters(file_bytes: bytes, text: str) -> int:
    """Return the number of replacement characters that the text has beyond those written in the bytes."""
    return text.count("\ufffd") - file_bytes.count("\ufffd".encode())


def _find_declared_encoding(file_bytes: bytes) -> str | None:
    match = _DECLARED_CHARSET.search(file_bytes[:_DECLARATION_BYTES])
    if match is None:
        return None
    encoding_name = (match[1] or match[2]).decode("ascii", "replace")
    try:
        # As browsers do: these names stand for supersets.
        return {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}.get(
            codecs.lookup(encoding_name).name, encoding_name
        )
    except LookupError:
        return None


def _note_decoded(encoding: str, *, damaged_characters: int = 0, is_sure: bool = True) -> None:
    decoded_texts = _decoded_texts.get()
    if decoded_texts is not None:
        encoding_name = "utf-8" if encoding == "utf-8-sig" else encoding.replace("_", "-").lower()
        decoded_texts.encodings.append(encoding_name)
        decoded_texts.damaged_characters += damaged_characters
        if not is_sure and encoding_name not in decoded_texts.unsure_encodings:
            decoded_texts.unsure_encodings.append(encoding_name)


@contextmanager
def collect_encodings() -> Iterator[DecodedTexts]:
    """Yield what `decode` chooses inside the block."""
    decoded_texts = DecodedTexts()
    reset_token = _decoded_texts.set(decoded_texts)
    try:
        yield decoded_texts
    finally:
        _decoded_texts.reset(reset_token)

"""Parse sentences and citations from a model's streamed text; pure (requirement 10.2).

A mark is `[1]`, `[1][3]`, `[1, 3]`, `[1-3]` or a variant that models write. Marks that name no source are
removed and reported. Control characters and unpaired surrogates are removed too.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.answers.shapes import Citation, Context, Source
from app.documents.sentences import split_marked_sentences, split_sentences
from app.domain.char_range import CharRange
from app.domain.file_locations import ChunkPlaces, format_place_of_range
from app.domain.scoring.keywords import list_stems
from app.ids import ChunkId, DocumentId

MAX_SENTENCE_LENGTH = 2_000
"""Length, in characters, at which text without a sentence end is cut."""
_MAX_RANGE_LENGTH = 50
_UUID_PATTERN = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NUMBERS_PATTERN = r"#?\d+(?:\s*(?:[,;&–-]|and)\s*#?\d+)*"
_BRACKET_PATTERN = rf"[\[【]\s*(?:(?:source|passage|citation|chunk|ref)s?[\s:]*)?\^?({_NUMBERS_PATTERN}|{_UUID_PATTERN})\s*[^\]】\w]{{0,3}}[\]】]"  # noqa: E501
# Matches only at the start of a run of white space, which keeps long runs linear.
_MARK = re.compile(rf"(?<!\s)\s*+{_BRACKET_PATTERN}", re.IGNORECASE)
_LEADING_MARKS = re.compile(rf"(?:\s*+{_BRACKET_PATTERN})+", re.IGNORECASE)
# A bracket at the very end may become a mark with the next piece.
_UNFINISHED_MARK = re.compile(r"(?<!\s)\s*+[\[【][^\]】]{0,60}\Z")
_NUMBER = re.compile(r"(\d+)\s*([–-]?)")
# "engine.[1] Charles": without a space behind it the full stop would end nothing.
_TIGHT_MARK = re.compile(r"([.!?])(?=[\[【]\s*[\w^#])")
_SPACE_BEFORE = re.compile(r" ([.,;:!?])")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence without its marks, the known source numbers in order, and unknown marks as written.

    `text` is empty for marks that follow no sentence.
    """

    text: str
    numbers: tuple[int, ...]
    unknown_marks: tuple[str, ...]


class SentenceReader:
    """Splits streamed text into sentences. `_known_numbers` are the source numbers of the context.

    A sentence is returned when the next one has begun, so that a mark after its full stop, or one that is
    split between two pieces, still belongs to it.
    """

    def __init__(self, known_numbers: Collection[int]) -> None:
        self._known_numbers = frozenset(known_numbers)
        self._pending_text = ""

    def feed_and_take_sentences(self, text_piece: str) -> list[CitedSentence]:
        """Return the sentences that this piece completes."""
        self._pending_text = _TIGHT_MARK.sub(r"\1 ", self._pending_text + text_piece)
        sentence_ends = []
        ranges = split_sentences(self._pending_text)
        for start, end in ranges[1:]:
            leading_marks = _LEADING_MARKS.match(self._pending_text, start, end)
            sentence_start = leading_marks.end() if leading_marks else start
            if _contains_any_word(self._pending_text[sentence_start:end]):
                sentence_ends.append(sentence_start)
        if not sentence_ends and len(self._pending_text) > MAX_SENTENCE_LENGTH:
            sentence_ends = [self._pending_text.rfind(" ", 1, MAX_SENTENCE_LENGTH) + 1 or MAX_SENTENCE_LENGTH]
        return self._take_sentences(sentence_ends)

    def take_remaining_sentences(self) -> list[CitedSentence]:
        """Return the sentences of the remaining text, complete or not."""
        ranges = split_sentences(self._pending_text)
        sentence_ends = []
        for start, end in ranges[1:]:
            leading_marks = _LEADING_MARKS.match(self._pending_text, start, end)
            sentence_ends.append(leading_marks.end() if leading_marks else start)
        return self._take_sentences([*sentence_ends, len(self._pending_text)])

    def _take_sentences(self, sentence_ends: Sequence[int]) -> list[CitedSentence]:
        sentences: list[CitedSentence] = []
        start = 0
        for end in dict.fromkeys(sentence_ends):
            sentence = self._read_sentence(self._pending_text[start:end])
            start = end
            if sentence.text or (sentence.unknown_marks and not sentences):
                sentences.append(sentence)
            elif sentences:
                previous_sentence = sentences.pop()
                source_numbers = tuple(dict.fromkeys((*previous_sentence.numbers, *sentence.numbers)))
                sentences.append(
                    CitedSentence(
                        previous_sentence.text,
                        source_numbers,
                        (*previous_sentence.unknown_marks, *sentence.unknown_marks),
                    )
                )
        self._pending_text = self._pending_text[start:]
        return sentences

    def _read_sentence(self, marked_text: str) -> CitedSentence:
        source_numbers: dict[int, None] = {}
        unknown_marks: list[str] = []
        for mark in _MARK.finditer(marked_text):
            for number, written_mark in _parse_numbers(mark[1]):
                if number in self._known_numbers:
                    source_numbers[number] = None
                else:
                    unknown_marks.append(written_mark)
        return CitedSentence(
            _remove_controls_and_extra_spaces(_MARK.sub("", marked_text)),
            tuple(source_numbers),
            tuple(unknown_marks),
        )


def _contains_any_word(text: str) -> bool:
    """Return whether a text contains the first word of a sentence."""
    return len(_UNFINISHED_MARK.sub("", text).split(maxsplit=1)) > 1


class _MarkedNumber(NamedTuple):
    """A number in a mark of a citation, None if no source can have it, and the mark as it is reported."""

    number: int | None
    mark: str


def _parse_numbers(mark_content: str) -> Iterable[_MarkedNumber]:
    """Yield each number of a mark; ranges are expanded."""
    if re.fullmatch(_UUID_PATTERN, mark_content):
        yield _MarkedNumber(None, f"[{mark_content}]")
        return
    range_start: int | None = None
    for match in _NUMBER.finditer(mark_content):
        # More digits than any context has sources; int() of thousands would raise.
        number = int(match[1]) if len(match[1]) <= 6 else None
        if (
            range_start is not None
            and number is not None
            and range_start < number <= range_start + _MAX_RANGE_LENGTH
        ):
            yield from (
                _MarkedNumber(number_in_range, f"[{number_in_range}]")
                for number_in_range in range(range_start + 1, number)
            )
        yield _MarkedNumber(number, f"[{match[1][:40]}]")
        range_start = number if match[2] else None


def _remove_controls_and_extra_spaces(text: str) -> str:
    # The two halves of a character may come in two pieces.
    valid_text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _SPACE_BEFORE.sub(r"\1", " ".join(_CONTROLS.sub(" ", valid_text).split()))


def build_citation(source: Source, sentences: Sequence[str]) -> Citation:
    """Build a citation of the source that quotes the part that supports these sentences.

    For each sentence this is the sentence itself if the source contains it, else the source's sentence with
    most words in common; the whole source if there is none.
    """
    ranges = [(start, end) for _, start, end in split_marked_sentences(source.text)]
    best_ranges: list[CharRange] = []
    for text in sentences:
        # A quote stands in a sentence of the answer on one line.
        verbatim_match = (
            re.search(r"\s+".join(map(re.escape, text.split())), source.text) if text.strip() else None
        )
        if verbatim_match is not None:
            best_ranges.append(verbatim_match.span())
            continue
        said_stems = list_stems(text)
        shared_counts = [len(said_stems & list_stems(source.text[start:end])) for start, end in ranges]
        max_shared_count = max(shared_counts, default=0)
        if max_shared_count:
            best_ranges.append(ranges[shared_counts.index(max_shared_count)])
    start = min((range_start for range_start, _ in best_ranges), default=0)
    end = max((range_end for _, range_end in best_ranges), default=len(source.text))
    return Citation(
        source.number,
        source.chunk_id,
        source.document_id,
        source.document_title,
        source.text[start:end],
        source.char_start + start,
        source.char_start + end,
        source.place,
    )


@dataclass(frozen=True, slots=True)
class ExistingChunk:
    """A chunk as currently stored."""

    document_id: DocumentId
    document_title: str
    text: str
    char_start: int
    places: ChunkPlaces = None


def update_position_of_citation(
    citation: Citation, chunks: Mapping[ChunkId, ExistingChunk]
) -> Citation | None:
    """Return the citation at its present position; None if its chunk was deleted or no longer contains the
    quote.

    A new version of a document may have kept the chunk at another position.
    """
    chunk = chunks.get(citation.chunk_id)
    if chunk is None:
        return None
    offset = citation.char_start - chunk.char_start
    if offset < 0 or not chunk.text.startswith(citation.quote, offset):
        offset = chunk.text.find(citation.quote)
    if offset < 0:
        return None
    start = chunk.char_start + offset
    return Citation(
        citation.number,
        citation.chunk_id,
        chunk.document_id,
        chunk.document_title,
        citation.quote,
        start,
        start + len(citation.quote),
        format_place_of_range(chunk.places, offset, offset + len(citation.quote)),
    )


def list_notes_on_contested_or_ended_citations(
    citations: Mapping[int, Citation], context: Context
) -> list[str]:
    """Return notes on cited quotes that are contradicted, have ended, or were stated after `as_of`."""
    notes = []
    for contested_numbers in context.contested:
        if citations.keys() & set(contested_numbers):
            marks = " ".join(f"[{number}]" for number in contested_numbers)
            notes.append(f"The passages contradict one another: {marks}.")
    for ended_claim in context.ended_quotes:
        if ended_claim.number in citations and ended_claim.quote in citations[ended_claim.number].quote:
            notes.append(
                f"What [{ended_claim.number}] says is no longer so since {ended_claim.until}:"
                f" {ended_claim.claim}."
            )
    for number, quote in context.later_quotes:
        cited_quote = citations[number].quote if number in citations else ""
        if cited_quote and (quote in cited_quote or cited_quote in quote):
            notes.append(f"What [{number}] says was said only after the moment asked about.")
    return list(dict.fromkeys(notes))

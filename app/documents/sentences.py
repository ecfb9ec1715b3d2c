"""Split text into sentences by rules, in linear time.

docs/decisions/0002-sentence-splitting.md says why no library is used. Ambiguous text is *not split*: two
sentences in one chunk do no harm, half a sentence does.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.documents.language import LANGUAGES_CAPITALISING_NOUNS, LANGUAGES_WITH_ORDINAL_DOT, guess_language
from app.domain.char_range import CharRange
from app.domain.scoring.stop_words import STOP_WORDS, split_into_word_set
from app.domain.table_headers import find_table_header_in_headings

# A blank line ends a sentence, and so does a line break before a list item or a table row.
_HARD_BREAK = re.compile(
    r"\n[^\S\n]*\n\s*"
    r"|\n(?=[^\S\n]*(?:[-*+•‣▪–—][^\S\n]|\d{1,3}[.)][^\S\n]|[A-Za-z][)][^\S\n]|\|)|[^\n]* \| )"
)
_LIST_MARK = re.compile(r"(?:[-*+•‣▪–—]|\d{1,3}[.)]|[A-Za-z][)])[^\S\n]+(?=\S)")
_CLOSING_MARKS = "\"'”’»›)\\]}」』）】》〉*_"
# Marks of Unicode's Sentence_Terminal, and the Tibetan shad: Armenian, Arabic, Syriac, Nko, Devanagari,
# Tibetan, Burmese, Ethiopic, Khmer, Mongolian.
_MARKS_OF_OTHER_SCRIPTS = "։؝؞؟۔܀܁܂߹।॥།༎။።፧፨។៕᠃᠉"
_SPACED_MARKS = f".!?…{_MARKS_OF_OTHER_SCRIPTS}"
# Possessive, and anchored at the first mark of a run, so that a million "!" in a row stay linear.
_TERMINATOR = re.compile(
    rf"(?<![{_SPACED_MARKS}])[{_SPACED_MARKS}]++[{_CLOSING_MARKS}]*+(?=\s)"  # white space must follow
    rf"|[。！？｡]++[{_CLOSING_MARKS}]*+"  # Chinese and Japanese need none
)
_OPENING_MARKS = "\"'“”‘’«»‹›([{「『（【¿¡*_#-–—•"
_LINE = re.compile(r"[^\n]+")
_PART_SEPARATOR = re.compile(r",[ \t]|[ \t][–—(-][ \t]?")
_STOP_WITHIN_LINE = re.compile(r"([^\W\d_]{3,})[.!?]\s+[^\W\d_]")
_MARKS_NOT_ENDING_ENTRY = frozenset(",;:!?…-–—&/")
"""Marks with which no entry of a list ends."""
_MAX_SMALL_WORD_LENGTH = 3
_WORD = re.compile(r"[^\W\d_]+")
_DOTTED_ABBREVIATION = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}")


# These precede a name or stand in mid-sentence; they never end a sentence.
_ABBREVIATIONS_NEVER_LAST = split_into_word_set(
    "dr mr mrs ms mx prof rev hon gen col maj capt cmdr lt sgt adm gov pres sen rep amb messrs mme mlle "
    "st mt ft vs viz cf ca e.g i.e eg ie resp incl approx bzw z.b d.h u.a vgl"
)
# These are abbreviations only before a number or a Roman numeral: "No. 5", "Fig. 3".
ABBREVIATIONS_BEFORE_NUMBER = split_into_word_set(
    "no nos nr fig figs vol vols p pp pg ch chap sec sect art arts eq eqs eqn tab ex par para ver v pt "
    "ed app jan feb mar apr jun jul aug sep sept oct nov dec c b d r fl"
)
# These end a sentence only before a word that usually opens one, or before a name with its own verb.
_ABBREVIATIONS_MAYBE_LAST = split_into_word_set(
    "inc ltd co corp llc plc bros jr sr etc al est dept univ assn ave blvd rd ph.d m.d b.a m.a a.m p.m "
    "u.s u.k u.n e.u d.c n.y l.a"
)
# Long abbreviations that may precede a small letter.
_LONG_ABBREVIATIONS = split_into_word_set(
    "abbr ariz assoc calif colo conn elec govt hist hosp intl mass mfrs minn misc natl okla orig penn publ "
    "temp tenn trans wash"
)
_ABBREVIATIONS = (
    _ABBREVIATIONS_NEVER_LAST | ABBREVIATIONS_BEFORE_NUMBER | _ABBREVIATIONS_MAYBE_LAST | _LONG_ABBREVIATIONS
)
# Words after an abbreviation that continue the name before it: "Inc. President".
_WORDS_CONTINUING_NAME = split_into_word_set(
    "air ambassador army attorney and census chair chairman chairwoman chief co coast commerce committee "
    "congress congressman court cto cfo ceo coo department dept district executive federal general "
    "government house inc justice llc ltd managing marine military minister ministry national naval navy "
    "of office open patent plc president presidential representative secretary senate senator senior "
    "spokesman spokeswoman state states supreme treasury vice virgin & v vs"
)
# A single letter after these is a label, not an initial.
_WORDS_BEFORE_LETTER = split_into_word_set(
    "appendix category class grade group hepatitis plan schedule system type vitamin"
)
_FINITE_VERB = re.compile(
    r"(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|became|becomes"
    r"|began|begins|bought|brought|built|buys|came|comes|gave|gives|grew|held|holds|joins|knew|knows|leads"
    r"|leaves|led|left|lies|lives|lost|made|makes|met|owns|ran|runs|said|says|sang|sells|sold|speaks|spoke"
    r"|stands|stood|studies|sued|takes|taught|teaches|told|took|uses|went|wins|won|works|writes|wrote"
    r"|[^\W\d_]{2,}ed)"
)
# A name followed by its verb: capitalised words joined by small words that occur in names.
_NAME_WITH_VERB = re.compile(
    r"(?:The\s)?(?:[^\W\d_a-z](?:\.|[\w'’&/-]*+(?:\.(?=\s[a-z]))?)\s(?>(?:(?:of|the|and|de|van|von|der|&)\s)*)){1,6}"
    rf"(?:\(\w[^()]{{0,60}}\)\s)?(?:(?:also|later|then|now|no|longer|still|never|\w+ly)\s){{0,2}}{_FINITE_VERB.pattern}\b"
)
_VERB_WINDOW_LENGTH = 300
_SENTENCE_OPENERS = split_into_word_set(
    "a after all although an and as at because before both but by despite during each even every finally "
    "first for from he her here his how however i if in instead is it its later many meanwhile moreover "
    "most my no nobody not nothing now on once one only other others our over she since so some soon still "
    "such that the their then there therefore these they this those though three through thus to today two "
    "under until we what when where whether which while who whose why with within without yet you your"
)
_MAX_ABBREVIATION_LENGTH = 24
MAX_UNLISTED_ABBREVIATION_LENGTH = 5
_SHORT_CAPITALISED_WORD = rf"(?<!\w)([^\W\d_a-z][^\W\d_]{{1,{MAX_UNLISTED_ABBREVIATION_LENGTH - 1}}})"
_SHORT_WORD_AND_NEXT_CHARACTER = re.compile(rf"{_SHORT_CAPITALISED_WORD}(?!\w)(.?)", re.DOTALL)
_WORD_BEFORE_INNER_STOP = re.compile(rf"{_SHORT_CAPITALISED_WORD}\.(?:[,;:)]|[^\S\n]+[a-z])")
_OF_AFTER_STOP = re.compile(r"\.[^\S\n]+of\b")
_VOWEL = re.compile(r"[aeiouyAEIOUY]|[^\u0000-\u036f]")
"""A vowel, or a letter of another alphabet than the Latin one, in decomposed text."""
# Years have four digits, and a single Roman numeral may be an initial.
_ORDINAL = re.compile(r"\d{1,3}|[IVXLC]{2,}")
# A full stop without white space after it, but with a note's number or the capital of the next sentence.
_GLUED_SENTENCES = re.compile(
    r"(?P<mark>(?<=[\w)\"”’])[.!?]++[\"”’)]*+)"
    r"(?:(?P<bracket>(?>(?:\[\d{1,3}\])+))(?=\s|[A-Z]|$)|(?P<number>\d{1,3}+)(?=\s+[\"“‘(]?[A-Z]|\s*$)|(?=[\"“‘(]?[A-Z][a-z]*+[\s,’']))"
)
_OPENING_TAG = re.compile(
    r"\[[^\[\]\n]{1,24}\]\s+(?=[A-Z\"“])|[A-Z][^\n().]{0,40}\([A-Z][^()\n]{1,24}\)\s+[–—-]{1,2}\s+(?=[A-Z\"“])"
)
_MIN_WORD_LETTERS, _MIN_SIDE_WORDS = 3, 4
_WEEKDAYS = split_into_word_set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_CELL_BAR = re.compile(r"(?<!\\)\|")
_MIN_CELLS = 2
# A table row, or the lines of a record with its name; "Note: it moved." is a sentence.
_ROW_OR_RECORD = re.compile(
    r"\|?(?P<cell>[^|\n]+)\|[^\n]*"
    # "Ben Oder" above "Office: Bonn" and "Floor: 2"; above a single line it may be an unfinished sentence.
    r"|(?:(?P<name>(?![-*+•]|\d+[.)])[^\n:|]{1,60}(?<![.!?,;]))\n(?=[^\n:|.]{1,60}: [^\n]+\n))?"
    r"[^\n:|]{1,60}: (?P<value>[^\n]+)(?:\n[^\n:|]{1,60}: [^\n]+)*"
    r"(?<![.!?])"
)


# "Dear Ann Lee," or "2. Staff": a short line above the text of its paragraph. Lines of prose are longer.
_LINE_ABOVE_TEXT = re.compile(
    r"\s*(?:[^\W\d_][^\s.:;,!?|]*(?:[^\S\n]+[^\W\d_][^\s.:;,!?|]*){1,3},"
    r"|\d{1,2}\.[^\S\n]+(?![a-z])[^\n.:;,!?|]{1,40}[^\W_])[^\S\n]*\n(?=\s*[^\W\d_])"
)
_RECORD_LINE = re.compile(r"^[^\n:|]{1,60}: ", re.MULTILINE)
_FIELD = re.compile(r"(?P<label>[^\s:|.!?][^\n:|.!?]{0,59}?)[ \t]*:[ \t]+(?P<value>[^\n]*\S)[ \t]*")


def split_sentences(text: str) -> list[CharRange]:
    """Return the sentences of the text as character ranges, in order, without surrounding white space.

    The ranges do not overlap and omit only white space. Takes about 0.03 ms for a passage of 400 characters,
    and linear time for any text.
    """
    ranges: list[CharRange] = []
    start = 0
    for block_end, next_start in _iter_blocks(text):
        ranges.extend(_split_block(text, start, block_end))
        start = next_start
    return ranges


def split_glued_sentences(text: str, start: int, end: int) -> list[CharRange]:
    """Return the sentences of a range that lack white space between them, without notes and tags.

    "The war ended.Peace was made.[12] In May" contains three; a leading tag or dateline ("[AFP] The") and
    note numbers are omitted. Versions, abbreviations, domains and names with a full stop are kept whole: the
    stop must follow a word in lower case and precede a word that opens a sentence, or both sides must have
    a verb. Takes linear time.
    """
    opening_tag = _OPENING_TAG.match(text, start, end)
    sentence_start = opening_tag.end() if opening_tag else start
    ranges = []
    for stop_match in _GLUED_SENTENCES.finditer(text, sentence_start, end):
        if _does_glued_sentence_end(text, stop_match, sentence_start, end):
            ranges.append((sentence_start, stop_match.end("mark")))
            sentence_start = _find_next_visible(text, stop_match.end(), end) or end
    return [*ranges, (sentence_start, end)] if sentence_start < end else ranges


def _does_glued_sentence_end(text: str, stop_match: re.Match[str], sentence_start: int, end: int) -> bool:
    """Return whether a sentence ends at a full stop directly followed by a note's number or a capital."""
    last_word = _get_word_before(text, stop_match.start("mark"), sentence_start)
    is_abbreviation = last_word.lower() in _ABBREVIATIONS
    if stop_match["bracket"]:
        return not is_abbreviation
    if is_abbreviation or not last_word.isalpha() or len(last_word) < _MIN_WORD_LETTERS:
        return False
    if not last_word.islower() and last_word not in _WEEKDAYS:
        # "left the League.3 The incident": a name may have a stop within, but no note and opener after it.
        if not stop_match["number"]:
            return False
        return _begins_with_opener_word(text, _find_next_visible(text, stop_match.end("number"), end) or end)
    if stop_match["number"] or _begins_with_opener_word(text, stop_match.end()):
        return True
    mark_start = stop_match.start("mark")
    preceding_text = text[max(sentence_start, mark_start - _VERB_WINDOW_LENGTH) : mark_start]
    following_text = text[stop_match.end() : min(end, stop_match.end() + _VERB_WINDOW_LENGTH)]
    # Remove "queue.Queue" and the like, identifiers with a stop inside.
    words_by_side = [
        [word for word in side_text.split() if word.strip(".,;:")]
        for side_text in (preceding_text, following_text)
    ]
    return all(
        len(side_words) >= _MIN_SIDE_WORDS
        and any(_FINITE_VERB.fullmatch(word.strip(",;:.")) for word in side_words[:-1])
        for side_words in words_by_side
    )


def find_start_after_list_mark(text: str, start: int, end: int) -> int:
    """Return where the sentence's words begin, after the mark of a list item if there is one."""
    mark = _LIST_MARK.match(text, start, end)
    return mark.end() if mark and mark.end() < end else start


class MarkedSentence(NamedTuple):
    """The range of a sentence; its words begin at `words_start`, after the mark of a list item."""

    start: int
    words_start: int
    end: int


def split_marked_sentences(text: str) -> list[MarkedSentence]:
    """Return the sentences of the text, in order, with the starts of their words."""
    return [
        MarkedSentence(start, find_start_after_list_mark(text, start, end), end)
        for start, end in split_sentences(text)
    ]


@lru_cache(maxsize=2_048)
def split_passage_cached(passage: str) -> tuple[MarkedSentence, ...]:
    """Return the sentences of a passage as `split_marked_sentences` does; one answer reads it several
    times.
    """
    return tuple(split_marked_sentences(passage))


def may_contain_table_rows_or_records(text: str) -> bool:
    """Return whether a text may hold rows of tables or records, by what each of them has."""
    return "|" in text or _RECORD_LINE.search(text) is not None


def match_field_line(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the `label` and the `value` of a line "Owner: Ann Lee", perhaps an item of a list.

    None if the value ends like a sentence, as in a dialogue or after "Note:".
    """
    field = _FIELD.fullmatch(text, find_start_after_list_mark(text, start, end), end)
    if field is None or field["value"][-1] in "!?…":
        return None
    ends_with_stop = field["value"][-1] == "."
    last_word = _get_word_before(text, field.end("value") - 1, field.start("value")) if ends_with_stop else ""
    return None if ends_with_stop and last_word.lower() not in _ABBREVIATIONS else field


def are_lines_labels_with_values(paragraph: str) -> bool:
    """Return whether a paragraph consists of lines "label: value" only, at least two."""
    lines = paragraph.split("\n")
    return len(lines) > 1 and all(match_field_line(line, 0, len(line)) is not None for line in lines)


def is_each_line_an_entry(paragraph: str) -> bool:
    """Return whether each line of a paragraph is an entry of its own, as in a CV, an agenda or a list of a
    team.

    There are at least two. Each begins with a digit, or with a capital and has several parts ("Jane Doe –
    Head of Sales"), and ends neither like a sentence nor within one. Rows of tables are no entries, nor are
    fields unless they begin with a digit ("2014–2018: Engineer").
    """
    lines = paragraph.split("\n")
    return (
        len(lines) > 1
        and all(map(_is_list_entry, lines))
        and not any(_does_sentence_go_on_after_line(line) for line in lines[:-1])
    )


def _is_list_entry(line: str) -> bool:
    first_character, last_character = line.lstrip(_OPENING_MARKS + " \t")[:1], line.rstrip()[-1:]
    return (
        (
            first_character.isdigit()
            or (first_character.isupper() and _PART_SEPARATOR.search(line) is not None)
        )
        and last_character not in _MARKS_NOT_ENDING_ENTRY
        and (
            last_character != "."
            or _get_word_before(line, len(line.rstrip()) - 1, 0).lower() in _ABBREVIATIONS
        )
        and not any(word[1].lower() not in _ABBREVIATIONS for word in _STOP_WITHIN_LINE.finditer(line))
        and "|" not in line
        and (first_character.isdigit() or match_field_line(line, 0, len(line)) is None)
    )


def _does_sentence_go_on_after_line(line: str) -> bool:
    """Return whether a line ends with a small word, after which its sentence goes on: "of", "and"."""
    last_word = line.rsplit(maxsplit=1)[-1]
    return len(last_word) <= _MAX_SMALL_WORD_LENGTH and last_word.islower()


def _iter_blocks(text: str) -> Iterator[CharRange]:
    """Yield where each paragraph or list item ends, and where the next one starts."""
    for match in _HARD_BREAK.finditer(text):
        yield match.start(), match.end()
    yield len(text), len(text)


def _split_block(text: str, start: int, end: int) -> Iterator[CharRange]:
    if text.find("\n", start, end) >= 0 and is_each_line_an_entry(text[start:end].strip()):
        yield from filter(
            None, (_trim_range(text, *match.span()) for match in _LINE.finditer(text, start, end))
        )
        return
    line = _LINE_ABOVE_TEXT.match(text, start, end)
    if line is not None and not text[line.end()].islower() and not _does_sentence_go_on_after_line(line[0]):
        yield start + len(line[0]) - len(line[0].lstrip()), start + len(line[0].rstrip())
        start = line.end()
    sentence_start = start
    for match in _TERMINATOR.finditer(text, start, end):
        if _ends_sentence(text, match, sentence_start, end):
            trimmed_range = _trim_range(text, start, match.end())
            if trimmed_range is not None:
                yield trimmed_range
            start = sentence_start = match.end()
    trimmed_range = _trim_range(text, start, end)
    if trimmed_range is not None:
        yield trimmed_range


def _trim_range(text: str, start: int, end: int) -> CharRange | None:
    range_text = text[start:end]
    leading_spaces = len(range_text) - len(range_text.lstrip())
    if leading_spaces == len(range_text):
        return None
    return start + leading_spaces, start + len(range_text.rstrip())


def _ends_sentence(text: str, match: re.Match[str], sentence_start: int, end: int) -> bool:
    mark = match.group()
    if mark[0] in f"。！？｡{_MARKS_OF_OTHER_SCRIPTS}":
        # A closed quotation inside a sentence: 「はい。」と言った。
        next_character = text[match.end() : match.end() + 1]
        return mark[-1] not in "」』）】" or not next_character or next_character.isspace()
    next_start = _find_next_visible(text, match.end(), end)
    if next_start is None:
        return True
    while next_start < end and text[next_start] in _OPENING_MARKS:
        next_start += 1
    next_character = text[next_start : min(next_start + 1, end)]
    if next_character.islower():
        return mark == "." and _does_stop_before_small_letter_end(text, match.start(), sentence_start)
    if mark[0] != "." or mark.startswith(".."):
        return True
    return _does_stop_before_capital_end(text, match, sentence_start, next_start)


def _does_stop_before_capital_end(
    text: str, match: re.Match[str], sentence_start: int, next_start: int
) -> bool:
    """Return whether a full stop before a capital, a digit or a caseless script ends a sentence."""
    has_closing_mark = len(match.group()) > 1
    word = _get_word_before(text, match.start(), sentence_start)
    lower_word = word.lower()
    if not word or has_closing_mark:
        return True
    if _ORDINAL.fullmatch(word) and _may_noun_follow_ordinal(text, next_start):
        return False
    if word.isdigit():
        # "1. First item" is a number; "in 1970. Then" is the end of a sentence.
        return len(word) > 3 or bool(text[sentence_start : match.start() - len(word)].strip())
    if lower_word in _ABBREVIATIONS_NEVER_LAST:
        return False
    is_initial = len(word) == 1 and word.isupper()
    if lower_word in ABBREVIATIONS_BEFORE_NUMBER and not is_initial:
        return not (text[next_start : next_start + 1].isdigit() or _is_numeral(text, next_start))
    if lower_word == "etc":
        return True
    if is_initial:
        is_label_letter = (
            _get_word_before(text, match.start() - len(word), sentence_start, gap=1).lower()
            in _WORDS_BEFORE_LETTER
        )
        return is_label_letter or _begins_with_opener_word(text, next_start)
    return not _may_be_abbreviation_at_end(text, match.start(), word, sentence_start, next_start) or (
        _begins_with_opener_word(text, next_start)
        or (
            _may_end_after_abbreviation(text, match.start(), word, sentence_start)
            and _has_verb_on_both_sides(text, match.start(), sentence_start, next_start)
        )
    )


def _may_be_abbreviation_at_end(
    text: str, stop_position: int, word: str, sentence_start: int, next_start: int
) -> bool:
    """Return whether a word before a full stop is an abbreviation with which a sentence may end."""
    return (
        word.lower() in _ABBREVIATIONS_MAYBE_LAST
        or _DOTTED_ABBREVIATION.fullmatch(word) is not None
        or _may_be_unlisted_abbreviation(text, stop_position, word, sentence_start, next_start)
    )


def _may_end_after_abbreviation(text: str, stop_position: int, word: str, sentence_start: int) -> bool:
    """Return whether two verbs tell two sentences apart here. "S.M. Entertainment": unknown letters begin a
    name, unless an article precedes them.
    """
    return (
        _DOTTED_ABBREVIATION.fullmatch(word) is None
        or word.lower() in _ABBREVIATIONS_MAYBE_LAST
        or _get_word_before(text, stop_position - len(word), sentence_start, 1) == "the"
    )


def _may_be_unlisted_abbreviation(
    text: str, stop_position: int, word: str, sentence_start: int, next_start: int
) -> bool:
    """Return whether a capitalised short word before a full stop is probably an abbreviation: "Cdr. Layton".

    It never is without the stop in this text, and one of three signs is there: it has no vowel; the stop once
    precedes a word in small letters or another mark; it ends no name of several words, and only names and
    function words follow up to the next stop. Kiss and Strunk (2006) tell abbreviations by their use with a
    stop alone and within a sentence, counted over a collection.
    """
    return (
        len(word) <= MAX_UNLISTED_ABBREVIATION_LENGTH
        and word.isalpha()
        and word[0].isupper()
        and word[1:].islower()
        and word not in _list_short_words_without_stop(text)
        and (
            _VOWEL.search(unicodedata.normalize("NFD", word)) is None
            or word in _list_words_before_inner_stop(text)
            or (
                not _get_word_before(text, stop_position - len(word), sentence_start, 1)[:1].isupper()
                and _is_without_clause_before_next_stop(text, next_start)
            )
        )
    )


@lru_cache(maxsize=2)
def _list_short_words_without_stop(text: str) -> frozenset[str]:
    return frozenset(match[1] for match in _SHORT_WORD_AND_NEXT_CHARACTER.finditer(text) if match[2] != ".")


@lru_cache(maxsize=2)
def _list_words_before_inner_stop(text: str) -> frozenset[str]:
    """Return the words with a full stop that ends no sentence, since a small letter or a mark follows it."""
    return frozenset(_WORD_BEFORE_INNER_STOP.findall(text))


def _is_without_clause_before_next_stop(text: str, start: int) -> bool:
    """Return whether all words up to the next stop are names and function words: "Layton on".

    A colon separates, as in "Victory and War. Boston: Acme Press.".
    """
    window_end = start + _VERB_WINDOW_LENGTH
    fragment_end = next(
        (
            match.start()
            for match in _TERMINATOR.finditer(text, start, window_end)
            if not _is_listed_abbreviation_or_initial(_get_word_before(text, match.start(), start))
        ),
        window_end,
    )
    fragment = text[start:fragment_end]
    return ":" not in fragment and all(
        word[0].isupper() or (word in STOP_WORDS and _FINITE_VERB.fullmatch(word) is None)
        for word in _WORD.findall(fragment)
    )


def _is_listed_abbreviation_or_initial(word: str) -> bool:
    return len(word) == 1 or word.lower() in _ABBREVIATIONS


def _may_noun_follow_ordinal(text: str, start: int) -> bool:
    """Return whether the capitalised word at `start` may belong to the ordinal before it: "15. Juli".

    Where ordinals have a full stop and nouns a capital, any word may that the text does not write in lower
    case too: that one is not a noun, but opens a sentence.
    """
    word = _WORD.match(text, start)
    return (
        word is not None
        and _get_language(text) in LANGUAGES_WITH_ORDINAL_DOT & LANGUAGES_CAPITALISING_NOUNS
        and word[0].lower() not in _list_lower_case_words(text)
    )


@lru_cache(maxsize=2)
def _get_language(text: str) -> str | None:
    """Return the language of a text, which is detected once for all its numbers."""
    return guess_language(text)


@lru_cache(maxsize=2)
def _list_lower_case_words(text: str) -> frozenset[str]:
    return frozenset(filter(str.islower, _WORD.findall(text)))


def _has_verb_on_both_sides(text: str, stop_position: int, sentence_start: int, next_start: int) -> bool:
    """Return whether the text on both sides of an abbreviation has a verb.

    "She left Foo Ltd. Bar Labs is …" is two sentences, "Foo Ltd. President Ann Lee is …" one.
    """
    if text[next_start : next_start + 1].isdigit() or not _NAME_WITH_VERB.match(
        text, next_start, next_start + _VERB_WINDOW_LENGTH
    ):
        return False
    first_word = _WORD.match(text, next_start)
    if first_word is not None and first_word.group().lower() in _WORDS_CONTINUING_NAME:
        return False
    preceding_text = text[max(sentence_start, stop_position - _VERB_WINDOW_LENGTH) : stop_position]
    return any(_FINITE_VERB.fullmatch(word) for word in _WORD.findall(preceding_text))


def _does_stop_before_small_letter_end(text: str, stop_position: int, sentence_start: int) -> bool:
    """Return whether a full stop before a small letter ends a sentence: "… in June 2024. pgvector is …".

    Names in lower case open sentences often enough in technical prose, and an abbreviation not listed
    here is nearly always shorter than four letters.
    """
    word = _get_word_before(text, stop_position, sentence_start)
    if word.isdigit():
        # "1990. godine", the year 1990 as an ordinal.
        return len(word) == 4 and _get_language(text) not in LANGUAGES_WITH_ORDINAL_DOT
    is_abbreviation = word.lower() in _ABBREVIATIONS
    # "the Hqtrs. of the police"
    is_inside_name = word[:1].isupper() and _OF_AFTER_STOP.match(text, stop_position) is not None
    return len(word) >= 4 and word.isalpha() and not is_abbreviation and not is_inside_name


def _find_next_visible(text: str, position: int, end: int) -> int | None:
    while position < end and text[position].isspace():
        position += 1
    return position if position < end else None


def _get_word_before(text: str, end: int, min_start: int, gap: int = 0) -> str:
    """Return the word that ends at `end`, or `gap` characters before it."""
    end -= gap
    start = max(min_start, end - _MAX_ABBREVIATION_LENGTH)
    words = text[start:end].split()
    return words[-1].lstrip("(\"'“‘«[{*_—–-") if words and not text[end - 1].isspace() else ""


def _is_numeral(text: str, start: int) -> bool:
    match = _WORD.match(text, start)
    # "I" alone is usually the pronoun.
    return match is not None and match.group() != "I" and set(match.group()) <= set("IVXLC")


def _begins_with_opener_word(text: str, start: int) -> bool:
    match = _WORD.match(text, start)
    if match is None:
        return False
    # "E. A. Poe": an initial does not open a sentence.
    return match.group().lower() in _SENTENCE_OPENERS and text[match.end() : match.end() + 1] != "."


def find_header_of_table_around(text: str, start: int, heading_path: Sequence[str] = ()) -> str:
    """Return the header row of the table at this position; "" outside tables and in the header itself.

    For a table continued from the previous chunk, it is the header among the chunk's headings.
    """
    line_start = text.rfind("\n", 0, start) + 1
    if "|" not in text[line_start : _find_line_end(text, start)]:
        return ""
    table_start = line_start
    while table_start > 0:
        line_above = text.rfind("\n", 0, table_start - 1) + 1
        if "|" not in text[line_above:table_start]:
            break
        table_start = line_above
    if table_start == 0 and (header := find_table_header_in_headings(heading_path)):
        return header
    return text[table_start : _find_line_end(text, table_start)] if table_start < line_start else ""


def append_table_header(row: str, text: str, heading_path: Sequence[str] = ()) -> str:
    """Return a table row with its header appended; a sentence is returned unchanged."""
    header = find_header_of_table_around(text, text.find(row), heading_path) if "|" in row else ""
    return f"{row} {header}" if header else row


def is_header_of_table(text: str, start: int, heading_path: Sequence[str] = ()) -> bool:
    """Return whether a table begins here: its header names columns and states nothing."""
    line_end = _find_line_end(text, start)
    line_below = text[line_end + 1 : _find_line_end(text, line_end + 1)]
    return (
        "|" in text[start:line_end]
        and "|" in line_below
        and not find_header_of_table_around(text, start, heading_path)
    )


def label_table_cells_or_return_unchanged(row: str, text: str, heading_path: Sequence[str] = ()) -> str:
    """Return a table row with each cell labelled by its column, "Name: Ada; Role: CEO".

    A sentence is returned unchanged, and so is a row without a header or with another number of cells.
    """
    cells = _split_cells(row)
    headers = _split_cells(find_header_of_table_around(text, text.find(row), heading_path))
    if "\n" in row or len(cells) < _MIN_CELLS or len(headers) != len(cells):
        return row
    return "; ".join(
        f"{header}: {cell}" if header else cell for header, cell in zip(headers, cells, strict=True) if cell
    )


class HeadedCell(NamedTuple):
    """A cell of a table or a value of a record; its header is "" for the line above the values."""

    header: str
    value: str


def split_row_or_record_into_cells(row: str, text: str, heading_path: Sequence[str] = ()) -> list[HeadedCell]:
    """Return the cells of the row of a table in this text, or the values of a record, each with its header.

    Empty for a sentence, and without a header for each cell.
    """
    if "|" in row:
        cells = _split_cells(row)
        headers = _split_cells(find_header_of_table_around(text, text.find(row), heading_path))
        is_row = "\n" not in row and len(cells) >= _MIN_CELLS and len(headers) == len(cells)
        return list(map(HeadedCell, headers, cells)) if is_row else []
    lines = [line.strip() for line in row.split("\n")]
    record = _ROW_OR_RECORD.fullmatch("\n".join(lines)) if len(lines) >= _MIN_CELLS else None
    if record is None or not record["value"]:
        return []
    name_cells = [HeadedCell("", record["name"].strip())] if record["name"] else []
    values = (line.partition(": ") for line in lines[len(name_cells) :])
    return [*name_cells, *(HeadedCell(header.strip(), value.strip()) for header, _, value in values)]


def join_quote_lines_except_list_items(quote: str) -> str:
    """Return a quote on one line, except for list items, which stay on their own lines.

    The lines of a record, "Name: Ada" above "Role: CEO", are joined by semicolons.
    """
    lines = [stripped_line for line in quote.split("\n") if (stripped_line := " ".join(line.split()))]
    record = _ROW_OR_RECORD.fullmatch("\n".join(lines))
    if len(lines) > 1 and record and record["value"]:
        return "; ".join(lines)
    text = lines[0] if lines else ""
    for line in lines[1:]:
        text += f"{chr(10) if _LIST_MARK.match(line) else ' '}{line}"
    return text


def _split_cells(row: str) -> list[str]:
    """Return the cells of a row between its bars."""
    row_text = row.strip().removeprefix("|")
    if row_text.endswith("|") and not row_text.endswith("\\|"):
        row_text = row_text[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _CELL_BAR.split(row_text)]


def list_folded_row_names(texts: Iterable[str]) -> list[str]:
    """Return the first cell or value of each row or record in lower case; "" for a sentence."""
    row_matches = [_ROW_OR_RECORD.fullmatch(text) for text in texts]
    return [_get_row_name(row_match) if row_match else "" for row_match in row_matches]


def list_indices_without_unrelated_rows(sentences: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return the indices of the sentences, without rows that name none of `names`, if some sentence does.

    A row is kept if its own name occurs in a sentence that names one: it may be the next step of a question.
    """
    names_pattern = re.compile(
        "|".join(re.escape(name) for name in names if len(name) > 1) or "$^", re.IGNORECASE
    )
    naming_text = "\n".join(text for text in sentences if names_pattern.search(text)).casefold()
    row_matches = [_ROW_OR_RECORD.fullmatch(text) if naming_text else None for text in sentences]
    return [
        index
        for index, row_match in enumerate(row_matches)
        if row_match is None
        or names_pattern.search(sentences[index])
        or _get_row_name(row_match) in naming_text
    ]


def _get_row_name(row: re.Match[str]) -> str:
    """Return the name of a row or record in lower case: the line above its values, or its first cell."""
    name: str = row["name"] or row["cell"] or row["value"]
    return name.strip().casefold()


def _find_line_end(text: str, position: int) -> int:
    line_end = text.find("\n", position)
    return len(text) if line_end < 0 else line_end

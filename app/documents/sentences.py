"""Where sentences begin and end: a rule-based splitter, linear in the length of the text.

Why not a library: docs/decisions/0002-sentence-splitting.md. The rule of thumb where the text
is ambiguous is *do not split*: two sentences in one chunk do no harm, half a sentence does.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from app.domain.table_headers import table_header_in_headings

# A blank line ends a sentence, and so does a line break before a list item or a table row.
_HARD_BREAK = re.compile(
    r"\n[^\S\n]*\n\s*"
    r"|\n(?=[^\S\n]*(?:[-*+•‣▪–—][^\S\n]|\d{1,3}[.)][^\S\n]|[A-Za-z][)][^\S\n]|\|)|[^\n]* \| )"
)
_LIST_MARK = re.compile(r"(?:[-*+•‣▪–—]|\d{1,3}[.)]|[A-Za-z][)])[^\S\n]+(?=\S)")
_CLOSERS = "\"'”’»›)\\]}」』）】》〉*_"
# Possessive, and begun only at the first mark of a run: a million "!" in a row stay linear.
_TERMINATOR = re.compile(
    rf"(?<![.!?…؟۔।])[.!?…؟۔।]++[{_CLOSERS}]*+(?=\s)"  # white space must follow
    rf"|[。！？｡]++[{_CLOSERS}]*+"  # Chinese and Japanese need none
)
_OPENERS = "\"'“”‘’«»‹›([{「『（【¿¡*_#-–—•"
_WORD = re.compile(r"[^\W\d_]+")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}")


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


# These stand before a name or in mid-sentence and never end a sentence.
_NEVER_END = _set_of(
    "dr mr mrs ms mx prof rev hon gen col maj capt cmdr lt sgt adm gov pres sen rep amb messrs mme mlle "
    "st mt ft vs viz cf ca e.g i.e eg ie resp incl approx bzw z.b d.h u.a vgl"
)
# These are abbreviations only when a number or a numeral follows: "No. 5", "Fig. 3".
_BEFORE_NUMBER = _set_of(
    "no nos nr fig figs vol vols p pp pg ch chap sec sect art arts eq eqs eqn tab ex par para ver v pt "
    "ed app jan feb mar apr jun jul aug sep sept oct nov dec c b d r fl"
)
# These may end a sentence: they do when a word follows that usually opens one, or a name with its own verb.
_MAY_END = _set_of(
    "inc ltd co corp llc plc bros jr sr etc al est dept univ assn ave blvd rd ph.d m.d b.a m.a a.m p.m "
    "u.s u.k u.n e.u d.c n.y l.a"
)
# Long abbreviations that a small letter may follow.
_CUT_WORDS = _set_of(
    "abbr ariz assoc calif colo conn elec govt hist hosp intl mass mfrs minn misc natl okla orig penn publ "
    "temp tenn trans wash"
)
_ABBREVIATIONS = _NEVER_END | _BEFORE_NUMBER | _MAY_END | _CUT_WORDS
# "Inc. President": what stands behind the abbreviation goes on with the name before it.
_GO_ON = _set_of(
    "air ambassador army attorney and census chair chairman chairwoman chief co coast commerce committee "
    "congress congressman court cto cfo ceo coo department dept district executive federal general "
    "government house inc justice llc ltd managing marine military minister ministry national naval navy "
    "of office open patent plc president presidential representative secretary senate senator senior "
    "spokesman spokeswoman state states supreme treasury vice virgin & v vs"
)
# A letter behind these is their name and no initial of somebody.
_LETTERED = _set_of("appendix category class grade group hepatitis plan schedule system type vitamin")
_FINITE = re.compile(
    r"(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|became|becomes"
    r"|began|begins|bought|brought|built|buys|came|comes|gave|gives|grew|held|holds|joins|knew|knows|leads"
    r"|leaves|led|left|lies|lives|lost|made|makes|met|owns|ran|runs|said|says|sang|sells|sold|speaks|spoke"
    r"|stands|stood|studies|sued|takes|taught|teaches|told|took|uses|went|wins|won|works|writes|wrote"
    r"|[^\W\d_]{2,}ed)"
)
_SMALL_WORD = re.compile(r"[^\W\d_]+")
# A name and the verb behind it: words with capitals, joined by small ones that names hold.
_NAME_WITH_VERB = re.compile(
    r"(?:The\s)?(?:[^\W\d_a-z](?:\.|[\w'’&/-]*+(?:\.(?=\s[a-z]))?)\s(?>(?:(?:of|the|and|de|van|von|der|&)\s)*)){1,6}"
    rf"(?:\(\w[^()]{{0,60}}\)\s)?(?:(?:also|later|then|now|no|longer|still|never|\w+ly)\s){{0,2}}{_FINITE.pattern}\b"
)
_VERB_WINDOW = 300
_STARTERS = _set_of(
    "a after all although an and as at because before both but by despite during each even every finally "
    "first for from he her here his how however i if in instead is it its later many meanwhile moreover "
    "most my no nobody not nothing now on once one only other others our over she since so some soon still "
    "such that the their then there therefore these they this those though three through thus to today two "
    "under until we what when where whether which while who whose why with within without yet you your"
)
_LONGEST_ABBREVIATION = 24
# A stop with no white space behind it, but a note's number or the capital of another sentence.
_GLUED = re.compile(
    r"(?P<mark>(?<=[\w)\"”’])[.!?]++[\"”’)]*+)"
    r"(?:(?P<bracket>(?>(?:\[\d{1,3}\])+))(?=\s|[A-Z]|$)|(?P<number>\d{1,3}+)(?=\s+[\"“‘(]?[A-Z]|\s*$)|(?=[\"“‘(]?[A-Z][a-z]*+[\s,’']))"
)
_TAG = re.compile(
    r"\[[^\[\]\n]{1,24}\]\s+(?=[A-Z\"“])|[A-Z][^\n().]{0,40}\([A-Z][^()\n]{1,24}\)\s+[–—-]{1,2}\s+(?=[A-Z\"“])"
)
_LEAST_GLUED, _LEAST_SIDE = 3, 4
_BAR = re.compile(r"(?<!\\)\|")
_FEWEST_CELLS = 2
# The row of a table or the lines of a record, with what it is called; "Note: it moved." is a sentence.
_ROW = re.compile(
    r"\|?(?P<cell>[^|\n]+)\|[^\n]*"
    # "Ben Oder" above "Office: Bonn" and "Floor: 2"; above a single line it may be a sentence that goes on.
    r"|(?:(?P<name>(?![-*+•]|\d+[.)])[^\n:|]{1,60}(?<![.!?,;]))\n(?=[^\n:|.]{1,60}: [^\n]+\n))?"
    r"[^\n:|]{1,60}: (?P<value>[^\n]+)(?:\n[^\n:|]{1,60}: [^\n]+)*"
    r"(?<![.!?])"
)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of the text as character ranges, in order, without surrounding white space.

    The ranges do not overlap and leave out nothing but white space. Takes about 0.03 ms for a
    passage of 400 characters, in time linear in the text whatever it holds.
    """
    ranges: list[tuple[int, int]] = []
    start = 0
    for block_end, next_start in _iter_blocks(text):
        ranges.extend(_split_block(text, start, block_end))
        start = next_start
    return ranges


def split_glued_sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of a range that a page has glued together, without what it has put between them.

    "The war ended.Peace was made.[12] In May" are three; a tag or dateline in front ("[AFP] The") and the
    numbers of notes are left out. Versions, abbreviations, domains and names with a stop stay whole: before
    it is a word in small letters, and behind it one that opens a sentence, or each side has its own verb.
    Linear in the length of the text.
    """
    opened = _TAG.match(text, start, end)
    first = opened.end() if opened else start
    ranges = []
    for stop in _GLUED.finditer(text, first, end):
        if _is_glued(text, stop, first, end):
            ranges.append((first, stop.end("mark")))
            first = _find_next_visible(text, stop.end(), end) or end
    return [*ranges, (first, end)] if first < end else ranges


def _is_glued(text: str, stop: re.Match[str], first: int, end: int) -> bool:
    """Return whether a sentence ends at a full stop with a note's number or a capital right behind it."""
    word = _get_word_before(text, stop.start("mark"), first)
    is_abbreviation = word.lower() in _ABBREVIATIONS
    if stop["bracket"]:
        return not is_abbreviation
    if is_abbreviation or not word.isalpha() or not word.islower() or len(word) < _LEAST_GLUED:
        return False
    if stop["number"] or _opens_sentence(text, stop.end()):
        return True
    mark_start = stop.start("mark")
    before = text[max(first, mark_start - _VERB_WINDOW) : mark_start]
    behind = text[stop.end() : min(end, stop.end() + _VERB_WINDOW)]
    # "We used queue.Queue for it": what a program calls so has a stop within.
    sides = [[piece for piece in side.split() if piece.strip(".,;:")] for side in (before, behind)]
    return all(
        len(pieces) >= _LEAST_SIDE and any(_FINITE.fullmatch(piece.strip(",;:.")) for piece in pieces[:-1])
        for pieces in sides
    )


def skip_list_mark(text: str, start: int, end: int) -> int:
    """Where the words of the sentence in that range begin: behind the mark of a list item, if it has one."""
    mark = _LIST_MARK.match(text, start, end)
    return mark.end() if mark and mark.end() < end else start


def split_marked_sentences(text: str) -> list[tuple[int, int, int]]:
    """The sentences as (start, where the words begin behind the mark of a list item, end)."""
    return [(start, skip_list_mark(text, start, end), end) for start, end in split_sentences(text)]


def split_sentences_of_texts(texts: Iterable[str]) -> list[list[tuple[int, int, int]]]:
    """The sentences of each of the texts, as `split_marked_sentences` has them."""
    return [split_marked_sentences(text) for text in texts]


def _iter_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where each paragraph or list item ends, and where the next one starts."""
    for match in _HARD_BREAK.finditer(text):
        yield match.start(), match.end()
    yield len(text), len(text)


def _split_block(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _TERMINATOR.finditer(text, start, end):
        if _ends_sentence(text, match, first, end):
            trimmed_range = _trim_range(text, start, match.end())
            if trimmed_range is not None:
                yield trimmed_range
            start = first = match.end()
    trimmed_range = _trim_range(text, start, end)
    if trimmed_range is not None:
        yield trimmed_range


def _trim_range(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    leading = len(piece) - len(piece.lstrip())
    if leading == len(piece):
        return None
    return start + leading, start + len(piece.rstrip())


def _ends_sentence(text: str, match: re.Match[str], sentence_start: int, end: int) -> bool:
    mark = match.group()
    if mark[0] in "。！？｡؟۔।":
        # A closed quotation with more of the sentence behind it: 「はい。」と言った。
        next_character = text[match.end() : match.end() + 1]
        return mark[-1] not in "」』）】" or not next_character or next_character.isspace()
    next_start = _find_next_visible(text, match.end(), end)
    if next_start is None:
        return True
    while next_start < end and text[next_start] in _OPENERS:
        next_start += 1
    next_character = text[next_start : min(next_start + 1, end)]
    if next_character.islower():
        return mark == "." and _does_plain_word_end(text, match.start(), sentence_start)
    if mark[0] != "." or mark.startswith(".."):
        return True
    return _does_full_stop_end(text, match, sentence_start, next_start)


def _does_full_stop_end(text: str, match: re.Match[str], sentence_start: int, next_start: int) -> bool:
    """Return whether a full stop before a capital, a digit or a caseless script ends a sentence."""
    closed = len(match.group()) > 1
    word = _get_word_before(text, match.start(), sentence_start)
    lowered = word.lower()
    if not word or closed:
        return True
    if word.isdigit():
        # "1. First item" is a numeral; "in 1970. Then" is the end of a sentence.
        return len(word) > 3 or bool(text[sentence_start : match.start() - len(word)].strip())
    if lowered in _NEVER_END:
        return False
    is_initial = len(word) == 1 and word.isupper()
    if lowered in _BEFORE_NUMBER and not is_initial:
        return not (text[next_start : next_start + 1].isdigit() or _is_numeral(text, next_start))
    if lowered == "etc":
        return True
    if is_initial:
        named = _get_word_before(text, match.start() - len(word), sentence_start, gap=1).lower() in _LETTERED
        return named or _opens_sentence(text, next_start)
    if lowered in _MAY_END or _DOTTED.fullmatch(word):
        # "S.M. Entertainment": letters that no list knows are the beginning of a name, but behind an article.
        may_end = (
            lowered in _MAY_END
            or _get_word_before(text, match.start() - len(word), sentence_start, 1) == "the"
        )
        return _opens_sentence(text, next_start) or (
            may_end and _begins_new_clause(text, match.start(), sentence_start, next_start)
        )
    return True


def _begins_new_clause(text: str, stop: int, sentence_start: int, next_start: int) -> bool:
    """Return whether what stands before an abbreviation and what stands behind it have a verb each.

    "She left Foo Ltd. Bar Labs is …" is two sentences, "Foo Ltd. President Ann Lee is …" one.
    """
    if text[next_start : next_start + 1].isdigit() or not _NAME_WITH_VERB.match(
        text, next_start, next_start + _VERB_WINDOW
    ):
        return False
    first = _WORD.match(text, next_start)
    if first is not None and first.group().lower() in _GO_ON:
        return False
    before = text[max(sentence_start, stop - _VERB_WINDOW) : stop]
    return any(_FINITE.fullmatch(word) for word in _SMALL_WORD.findall(before))


def _does_plain_word_end(text: str, stop: int, sentence_start: int) -> bool:
    """Return whether a full stop before a small letter ends a sentence: "… in June 2024. pgvector is …".

    Names in small letters open sentences often enough in technical prose. An abbreviation that
    no list here knows is nearly always shorter than four letters.
    """
    word = _get_word_before(text, stop, sentence_start)
    if word.isdigit():
        return len(word) == 4
    is_abbreviation = word.lower() in _ABBREVIATIONS
    return len(word) >= 4 and word.isalpha() and not is_abbreviation


def _find_next_visible(text: str, position: int, end: int) -> int | None:
    while position < end and text[position].isspace():
        position += 1
    return position if position < end else None


def _get_word_before(text: str, end: int, floor: int, gap: int = 0) -> str:
    """The word that ends at `end`, or so many characters before it."""
    end -= gap
    start = max(floor, end - _LONGEST_ABBREVIATION)
    words = text[start:end].split()
    return words[-1].lstrip("(\"'“‘«[{*_—–-") if words and not text[end - 1].isspace() else ""


def _is_numeral(text: str, start: int) -> bool:
    match = _WORD.match(text, start)
    # "I" alone is far more often the pronoun.
    return match is not None and match.group() != "I" and set(match.group()) <= set("IVXLC")


def _opens_sentence(text: str, start: int) -> bool:
    match = _WORD.match(text, start)
    if match is None:
        return False
    # "E. A. Poe": a starter that is itself an initial opens nothing.
    return match.group().lower() in _STARTERS and text[match.end() : match.end() + 1] != "."


def find_table_header(text: str, start: int, heading_path: Sequence[str] = ()) -> str:
    """The first row of the table in which this place lies; "" where it is in none, or in that row.

    Of a table that goes on from the chunk before, it is the header among the headings of the text's chunk.
    """
    line_start = text.rfind("\n", 0, start) + 1
    if "|" not in text[line_start : _find_line_end(text, start)]:
        return ""
    first = line_start
    while first > 0:
        line_above = text.rfind("\n", 0, first - 1) + 1
        if "|" not in text[line_above:first]:
            break
        first = line_above
    if first == 0 and (header := table_header_in_headings(heading_path)):
        return header
    return text[first : _find_line_end(text, first)] if first < line_start else ""


def append_table_header(row: str, text: str, heading_path: Sequence[str] = ()) -> str:
    """The row of a table in this text with its header, which says what its cells are; a sentence as it is."""
    header = find_table_header(text, text.find(row), heading_path) if "|" in row else ""
    return f"{row} {header}" if header else row


def is_table_header(text: str, start: int, heading_path: Sequence[str] = ()) -> bool:
    """Return whether a table begins at this place: its header names columns and states nothing."""
    stop = _find_line_end(text, start)
    line_below = text[stop + 1 : _find_line_end(text, stop + 1)]
    return "|" in text[start:stop] and "|" in line_below and not find_table_header(text, start, heading_path)


def label_table_cells(row: str, text: str, heading_path: Sequence[str] = ()) -> str:
    """The row of a table in this text with the header of its column before each cell, "Name: Ada; Role: CEO";
    a sentence, and a row without a header or with another number of cells, as it is.
    """
    cells = _split_cells(row)
    headers = _split_cells(find_table_header(text, text.find(row), heading_path))
    if "\n" in row or len(cells) < _FEWEST_CELLS or len(headers) != len(cells):
        return row
    return "; ".join(
        f"{header}: {cell}" if header else cell for header, cell in zip(headers, cells, strict=True) if cell
    )


def lay_out_items(quote: str) -> str:
    """A quote on one line, but for the items of a list, each on one of its own; the lines of a record, "Name:
    Ada" above "Role: CEO", with a semicolon between.
    """
    lines = [stripped for line in quote.split("\n") if (stripped := " ".join(line.split()))]
    record = _ROW.fullmatch("\n".join(lines))
    if len(lines) > 1 and record and record["value"]:
        return "; ".join(lines)
    text = lines[0] if lines else ""
    for line in lines[1:]:
        text += f"{chr(10) if _LIST_MARK.match(line) else ' '}{line}"
    return text


def _split_cells(row: str) -> list[str]:
    """The cells of a row between its bars."""
    inner = row.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def list_row_names(texts: Iterable[str]) -> list[str]:
    """Of each row or record its first cell or value in small letters, most often a name; "" of a sentence."""
    rows = [_ROW.fullmatch(text) for text in texts]
    return [_get_row_name(row) if row else "" for row in rows]


def drop_unrelated_rows(sentences: Sequence[str], names: Iterable[str]) -> list[int]:
    """The places of the sentences but the rows about other things than these, where some sentence names one.

    A row whose own name stands in a sentence that is kept is the next step of a question, and stays.
    """
    names_pattern = re.compile(
        "|".join(re.escape(name) for name in names if len(name) > 1) or "$^", re.IGNORECASE
    )
    naming_text = "\n".join(text for text in sentences if names_pattern.search(text)).casefold()
    rows = [_ROW.fullmatch(text) if naming_text else None for text in sentences]
    return [
        index
        for index, row in enumerate(rows)
        if row is None or names_pattern.search(sentences[index]) or _get_row_name(row) in naming_text
    ]


def _get_row_name(row: re.Match[str]) -> str:
    """The first cell or value of a row or record in small letters, or the line above its values."""
    name: str = row["name"] or row["cell"] or row["value"]
    return name.strip().casefold()


def _find_line_end(text: str, position: int) -> int:
    stop = text.find("\n", position)
    return len(text) if stop < 0 else stop

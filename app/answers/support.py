"""Checks that cited text says what a sentence says: words, numbers, dates, and yes or no; pure (10.2).

It reads words, not meaning: a sentence that passes may still be wrong, one that says another year, the
opposite, or something else altogether does not pass.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from app.answers.shapes import Source
from app.documents.sentences import sentence_ranges
from app.scoring.keywords import stems
from app.scoring.negation import is_negated
from app.scoring.stop_words import word_set

LEAST_SHARE = 0.6
"""Share of a sentence's words that the cited text has to hold."""
SAME_SENTENCE = 0.5
"""Share of the words that the likest sentence has in common, from which another is about the same."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(
    r"[,;:()–—]|\b(?:but|although|though|while|whereas|however|and|which|who)\b", re.IGNORECASE
)
_NO = re.compile(
    r"\b(?:no(?!\.)|none|nobody|nothing|hardly|fail(?:s|ed)? to|refus(?:es|ed) to|den(?:y|ies|ied))\b",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\bnot (?:only|just|least)\b|\bno(?:t)? (?:doubt|later than)\b", re.IGNORECASE)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
# Words as often as months, unless a number stands beside them.
_ALSO_WORDS = word_set("may march")
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
_IN_WORDS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 2)}


def is_supported(text: str, cited: Sequence[Source]) -> bool:
    """Return whether the cited sources together say what the sentence says.

    They hold 60 % of its words, all its numbers and months, and each of its clauses is as much denied
    or affirmed as the clause of theirs that is most like it. A sentence without words passes.
    """
    if not cited:
        return False
    plain = _plain(text)
    if any(plain in _plain(source.text) for source in cited):
        return True
    said = frozenset(word for word in stems(text) if word.isalpha() and word not in _MONTHS)
    held = [" ".join((source.document_title, *source.heading_path, source.text)) for source in cited]
    words = frozenset[str]().union(*map(stems, held))
    return (
        len(said & words) >= LEAST_SHARE * len(said)
        and _figures_stand(text, said, cited)
        and _agree(text, [source.text for source in cited])
    )


def _figures_stand(text: str, said: Collection[str], cited: Sequence[Source]) -> bool:
    """Return whether each number and month stands in a title, or in a sentence much like the text.

    Another year of another sentence is no proof: of the passages that were looked at, one in 25 had it.
    """
    wanted = figures(text)
    if not wanted:
        return True
    sentences = [source.text[start:end] for source in cited for start, end in sentence_ranges(source.text)]
    shared = [len(stems(each).intersection(said)) for each in sentences]
    enough = SAME_SENTENCE * max(shared, default=0)
    about = [each for each, count in zip(sentences, shared, strict=True) if count and count >= enough]
    titles = [" ".join((source.document_title, *source.heading_path)) for source in cited]
    return wanted <= frozenset[str]().union(*map(figures, (*about, *titles)))


def figures(text: str) -> frozenset[str]:
    """The numbers and months of a text, each in one form: "1,843" and "1843", "2 May" and "05-02"."""
    found: set[str] = set()

    def dated(date: re.Match[str]) -> str:
        found.update((date[1], _month(int(date[2])), str(int(date[3]))))
        return " "

    rest = _ISO_DATE.sub(dated, text)
    found.update(_number(each[0]) for each in _NUMBER.finditer(rest))
    for word in _WORD.finditer(rest):
        key = word[0].casefold()
        if key in _IN_WORDS:
            found.add(_IN_WORDS[key])
        elif key in _MONTHS and (key not in _ALSO_WORDS or _beside_number(rest, word.start(), word.end())):
            found.add(_month(_MONTHS[key]))
    return frozenset(found)


def _month(number: int) -> str:
    return f"month {number}"


def _number(written: str) -> str:
    whole = re.sub(r"[.,](?=\d{3}(?!\d))", "", written).replace(",", ".")
    return whole.lstrip("0") or "0"


def _beside_number(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 4) : start], text[end : end + 4]
    return re.search(r"\d\W*\Z", before) is not None or re.match(r"\W*\d", after) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def denies(clause: str) -> bool:
    """Return whether a clause says that something is not, or no more."""
    plain = _NOT_ONLY.sub(" ", clause)
    return is_negated(plain) or _NO.search(plain) is not None


def _agree(text: str, evidence: Iterable[str]) -> bool:
    """Return whether no clause of the text says the opposite of what the evidence says in the same words."""
    theirs = [
        (stems(clause), denies(clause))
        for each in evidence
        for start, end in sentence_ranges(each)
        for clause in _clauses(each[start:end])
    ]
    return all(_agrees(stems(clause), denies(clause), theirs) for clause in _clauses(text))


def _agrees(said: Collection[str], denied: bool, theirs: Sequence[tuple[frozenset[str], bool]]) -> bool:
    if not said:
        return True
    shared = [len(words.intersection(said)) for words, _ in theirs]
    most = max(shared, default=0)
    if not most:
        return not denied
    return any(
        opposite == denied for count, (_, opposite) in zip(shared, theirs, strict=True) if count == most
    )


def _clauses(sentence: str) -> list[str]:
    return [part for part in _CLAUSE_END.split(sentence) if part.strip()]

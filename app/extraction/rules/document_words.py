"""Words of a whole document classified by spelling; computed once, before any name is judged."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS
from app.extraction.rules.english.lexicon import KIND_OF, SENTENCE_STARTERS
from app.extraction.rules.topic import Topic, read_topic
from app.graph.names import MONTHS_AND_DAYS

# An e-mail address in lower case is not evidence for an ordinary word: "press@ludlow.example".
_LOWER_WORD = re.compile(r"(?<![\w.`@/])[a-z][a-z'-]*+(?!@|://|\.[a-z])")
_MIDDLE_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-Z]\w*+")
# "I met Can Yilmaz", "Present: Can Yilmaz, Per Lind (chair)": capitals that open no sentence belong to names.
_PAIR_OF_CAPITALS = re.compile(r"\b[a-z][\w'’-]*+ ([A-Z][a-z]++) (?=([A-Z]\w+))")
_LIST_OF_NAMES = re.compile(
    r"^[^\n:.!?]{1,40}:[^\S\n]+(?P<names>"
    r"(?:[A-Z][\w'’-]*+(?: [A-Z][\w'’-]*+){1,3}(?: ?[(<][^\n()<>]{1,80}[)>])?(?:[,;] |[^\S\n]*$))+)$",
    re.MULTILINE,
)
_PAIR_IN_LIST = re.compile(r"(?:^|[,;] )([A-Z][a-z]+) (?=([A-Z]\w+))")
_WORD_IN_BACKTICKS = re.compile(r"`([A-Za-z][\w.-]{2,40})(\(\))?`")
_PARENTHESIS = re.compile(r"\s*\([^)]*\)\s*$")
# A sentence that begins in lower case, with the verb right after.
_OPENING_NAME = re.compile(
    r"(?:[.!?]\s|\n\n|\A)([a-z][a-z0-9_]{3,30})"
    r"(?=\s(?:is|was|has|had|depends|supports|uses|used|integrates|replaced|became|works|adds|stores|runs)\s)"
)
_SMALL_WORDS_OF_NAMES = STOP_WORDS - PRONOUNS - MONTHS_AND_DAYS - {"a", "the"}
# A title of at least this length may be the truncated beginning of the text.
_MIN_CUT_TITLE_LENGTH = 70
# "pg_cron": ordinary words contain no underscore.
_IDENTIFIER = re.compile(r"(?<![\w.`/])[a-z][a-z0-9]*+(?>(?:_[a-z0-9]++)+)(?![\w/(=])")
# Two letters with which no English word begins: "pgvector", "hnswlib".
_NON_ENGLISH_SPELLING = re.compile(
    r"(?!b[lr]|c[hlrz]|d[rw]|f[lr]|g[hlnr]|k[hlnr]|ll|mn|p[hlnrst]|rh|s[chklmnpqtvw]|t[hrsw]|v[lr]|w[hr]|ht|ww)"
    r"[bcdfghjklmnpqrstvwxz]{2}[a-z]{2,28}"
)
# "libcurl", "kubectl", "nodejs": spellings of software names that no English word has.
_SOFTWARE_SPELLING = re.compile(r"lib(?!e[lr]|id|r[ae]|at|it|ya)[a-z]{3,30}|[a-z]{2,30}(?:ctl|sql|js)")
_WORD_AFTER_DETERMINER = re.compile(
    r"\b(?:[Tt]he|an?|[Ii]ts|his|her|their|this|that|these|of|no)\s([a-z][a-z0-9_]{3,30})\b(?=\s(?:of|is|was|in|that|for|and)\b|[.,])"
)
_POSSESSIVE_PAIR = re.compile(r"\b([A-Z][a-z]+)['’]s[^\S\n]([A-Z][a-z]+)\b")
_CAPITALISED_WORD = re.compile(r"\b[A-Z][a-z]+\b")
_MIN_USES_OF_POSSESSIVE_NAME = 3
# A use of a name is followed by more of its line; at the beginning of a text, by what the name is.
_TEXT_IN_LINE = re.compile(r"[^\S\n]*\S")
_DESCRIBING_TEXT = re.compile(r"[,\"”]{0,2}\s+(?:is|was|are|were|published|released|\()")


_AdjacentWords = tuple[str, str]
"""A word and the next one."""


@dataclass(slots=True)
class DocumentWords:
    """Words by their spelling in the whole document; `kind_by_code_word` maps each software word to its kind.

    `topic` is the topic of the title, `title_words` the words of its name, () if the title names nothing.
    `titles_of_people` are words in front of people's names ("councillor"), as the reader finds them.
    `name_starts` are ordinary words with the next one that begin a name elsewhere in the document: ("Can",
    "Yilmaz"). `possessive_names` are pairs of which the first word is never without the second one:
    ("Jehovah", "Witnesses").
    """

    lower_case_words: set[str]
    capitalised_words: set[str]
    kind_by_code_word: dict[str, str]
    title_words: tuple[str, ...]
    topic: Topic | None
    titles_of_people: frozenset[str] = frozenset()
    name_starts: frozenset[_AdjacentWords] = frozenset()
    possessive_names: frozenset[_AdjacentWords] = frozenset()


def remove_bracket_of_title(title: str) -> str:
    """Return the document's title without a trailing explanation in brackets."""
    return _PARENTHESIS.sub("", title[:200]).strip()


def classify_words_by_spelling(texts: Iterable[str], title: str) -> DocumentWords:
    """Classify a document's words by spelling: lower case, capitalised inside a sentence, or software (in
    backticks, `a_b`); and read the topic of its title.

    A lower-case word that begins a sentence before a verb and follows no article elsewhere is software: no
    ordinary word is written so ("libfoo is an extension").
    """
    lower_case_words: set[str] = set()
    capitalised_words: set[str] = set()
    kind_by_code_word: dict[str, str] = {}
    opening_words: set[str] = set()
    determined_words: set[str] = set()
    name_starts: set[_AdjacentWords] = set()
    owner_counts: Counter[str] = Counter()
    possessive_pairs: list[_AdjacentWords] = []
    topic = read_topic(title)
    must_be_used = topic is not None and not topic.is_certain
    for index, text in enumerate(texts):
        if index == 0 and len(title) >= _MIN_CUT_TITLE_LENGTH and text.startswith(title):
            topic, must_be_used = None, False
        if must_be_used and topic is not None and _does_text_use_name(topic.name, text):
            must_be_used = False
        lower_case_words.update(_LOWER_WORD.findall(text))
        capitalised_words.update(_MIDDLE_CAPITAL.findall(text))
        name_starts.update(_list_name_starts(text))
        possessive_pairs += _POSSESSIVE_PAIR.findall(text)
        owner_counts.update(_CAPITALISED_WORD.findall(text))
        opening_words.update(_OPENING_NAME.findall(text))
        if "_" in text:
            kind_by_code_word.update((word, "Technology") for word in _IDENTIFIER.findall(text))
        determined_words.update(_WORD_AFTER_DETERMINER.findall(text))
        if "`" in text:
            kind_by_code_word.update(
                (word, "API" if parentheses else "Technology")
                for word, parentheses in _WORD_IN_BACKTICKS.findall(text)
            )
    for word in sorted(opening_words - determined_words - SENTENCE_STARTERS - KIND_OF.keys()):
        kind_by_code_word.setdefault(word, "Technology")
    kind_by_code_word.update(
        (word, "Technology") for word in sorted(lower_case_words) if _is_software_name(word)
    )
    if topic is not None and must_be_used:
        topic = None
    return DocumentWords(
        lower_case_words,
        capitalised_words,
        kind_by_code_word,
        topic.words if topic is not None else (),
        topic,
        name_starts=frozenset(name_starts),
        possessive_names=_find_possessive_names(possessive_pairs, owner_counts),
    )


def _find_possessive_names(
    pairs: Iterable[_AdjacentWords], owner_counts: Counter[str]
) -> frozenset[_AdjacentWords]:
    """Return the pairs whose first word occurs nowhere else, and often enough to be a part of a name."""
    return frozenset(
        pair
        for pair, count in Counter(pairs).items()
        if count >= _MIN_USES_OF_POSSESSIVE_NAME and owner_counts[pair[0]] == count
    )


def _list_name_starts(text: str) -> Iterator[_AdjacentWords]:
    """Yield the ordinary words that begin a name within a sentence or a list of names, with the next word."""
    pairs = chain(
        _PAIR_OF_CAPITALS.findall(text),
        *(_PAIR_IN_LIST.findall(list_match["names"]) for list_match in _LIST_OF_NAMES.finditer(text)),
    )
    for word, next_word in pairs:
        if word.lower() in _SMALL_WORDS_OF_NAMES and next_word.lower() not in STOP_WORDS:
            yield word, next_word


def _is_software_name(word: str) -> bool:
    return _NON_ENGLISH_SPELLING.fullmatch(word) is not None or _SOFTWARE_SPELLING.fullmatch(word) is not None


def _does_text_use_name(name: str, text: str) -> bool:
    """Return whether a text uses this name within a line; alone on its line it is only a heading.

    At the beginning of a text the name must also be said to be something, because a text without a title is
    named after its beginning.
    """
    if name.lower() not in text.lower():
        return False
    for match in re.finditer(re.escape(name), text, re.IGNORECASE):
        is_inside_line = match.start() > 0 and text[match.start() - 1] != "\n"
        if _TEXT_IN_LINE.match(text, match.end()) and (
            is_inside_line or _DESCRIBING_TEXT.match(text, match.end())
        ):
            return True
    return False

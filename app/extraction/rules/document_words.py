"""The words of a whole document, by how it writes them: read once, before any name is judged."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from app.extraction.rules.english.lexicon import KIND_OF, STARTERS

# Possessive quantifiers keep a megabyte without a space linear.
TOKEN = re.compile(
    r"(?:[A-Z]\.-?)++(?=[\s,;:)'’]|$)"
    r"|(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Inc|Corp|Co|Ltd|Gen|Sen|Gov|Rev|Lt|Col|Capt|Bros|Mt|Ft)\.(?=[\s,;)'’]|$)"
    r"|[^\W_]\w*+(?:[.'’&+#/@-]\w++)*+[+#]*+"
    r"|['’]s\b|[^\w\s]"
)
_LOWER_WORD = re.compile(r"(?<![\w.`])[a-z][a-z'-]*+")
_MIDDLE_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-Z]\w*+")
_CODE = re.compile(r"`([A-Za-z][\w.-]{2,40})(\(\))?`")
_PARENTHESIS = re.compile(r"\s*\([^)]*\)\s*$")
# A sentence that begins in lower case, with the verb right behind.
_OPENING_NAME = re.compile(
    r"(?:[.!?]\s|\n\n|\A)([a-z][a-z0-9_]{3,30})"
    r"(?=\s(?:is|was|has|had|depends|supports|uses|used|integrates|replaced|became|works|adds|stores|runs)\s)"
)
# "pg_cron": no ordinary word has a low line inside.
_IDENTIFIER = re.compile(r"(?<![\w.`/])[a-z][a-z0-9]*+(?:_[a-z0-9]++)++(?![\w/(=])")
# Two letters with which no English word begins: "pgvector", "hnswlib".
_NO_ENGLISH = re.compile(
    r"(?!b[lr]|c[hlrz]|d[rw]|f[lr]|g[hlnr]|k[hlnr]|ll|mn|p[hlnrst]|rh|s[chklmnpqtvw]|t[hrsw]|v[lr]|w[hr]|ht|ww)"
    r"[bcdfghjklmnpqrstvwxz]{2}[a-z]{2,28}"
)
_DETERMINED = re.compile(
    r"\b(?:[Tt]he|an?|[Ii]ts|his|her|their|this|that|these|of|no)\s([a-z][a-z0-9_]{3,30})\b(?=\s(?:of|is|was|in|that|for|and)\b|[.,])"
)


_EXPLAINED = re.compile(r":\s+[a-z]")


@dataclass(slots=True)
class DocumentWords:
    """Words by how the whole document writes them; `code` gives each its kind,
    `title` is () where it names nothing."""

    lower: set[str]
    capital: set[str]
    code: dict[str, str]
    title: tuple[str, ...]


def title_name(title: str) -> str:
    """The document's title without a trailing explanation in brackets."""
    return _PARENTHESIS.sub("", title[:200]).strip()


def read_words(texts: Iterable[str], title: str) -> DocumentWords:
    """The words that the document writes in lower case, inside a sentence with a capital, or as code.

    A word that opens a sentence in lower case and never follows an article is a name: nobody writes
    an ordinary word so ("libfoo is an extension").
    """
    lower: set[str] = set()
    capital: set[str] = set()
    code: dict[str, str] = {}
    opening: set[str] = set()
    determined: set[str] = set()
    name = title_name(title)
    # A title that stands within a line is used as a name there and is no mere heading.
    used = re.compile(re.escape(name) + r"[^\S\n]*\S", re.IGNORECASE) if " and " in name else None
    for text in texts:
        if used is not None and used.search(text):
            used = None
        lower.update(_LOWER_WORD.findall(text))
        capital.update(_MIDDLE_CAPITAL.findall(text))
        opening.update(_OPENING_NAME.findall(text))
        if "_" in text:
            code.update((word, "Technology") for word in _IDENTIFIER.findall(text))
        determined.update(_DETERMINED.findall(text))
        if "`" in text:
            code.update((word, "API" if call else "Technology") for word, call in _CODE.findall(text))
    for word in sorted(opening - determined - STARTERS - KIND_OF.keys()):
        code.setdefault(word, "Technology")
    code.update((word, "Technology") for word in sorted(lower) if _NO_ENGLISH.fullmatch(word))
    words = tuple(word.lower() for word in TOKEN.findall(name))
    # "Ann and Bob" tells of two
    return DocumentWords(lower, capital, code, words if used is None and _is_name(name, words) else ())


def _is_name(title: str, words: tuple[str, ...]) -> bool:
    """Return whether a title can be the name of what its document is about."""
    if not 0 < len(words) <= 8 or all(word in STARTERS or not word[0].isalpha() for word in words):
        return False
    # "Foo: maps for everybody" is a heading, "Foo: The Return" a name.
    if _EXPLAINED.search(title) or words[0] in ("from", "how", "why", "what"):
        return False
    # The first sentence of a text that has no title; "Acme Inc." ends with its abbreviation.
    return words[-1] != "."

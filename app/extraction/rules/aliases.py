"""Names that the text itself ties together: acronyms in brackets, "also known as", surnames."""

import re
from collections.abc import Iterator

from app.extraction.rules.names.spans import Span
from app.extraction.rules.sentences import Sentence
from app.scoring.stop_words import word_set

_LONGEST_GAP, _LONGEST_BRACKET = 8, 40
_SMALL = word_set("of the for and in on to de & a an at by with")
# The whole text between two names; "(" is written with the spaces that the words are joined by.
_KNOWN_AS = re.compile(
    r"(?:[,(] |, who is |, which (?:is|was) )?(?:is |was )?(?:(?:also|better|formerly|previously|originally"
    r"|commonly|sometimes|often|later|now|officially|professionally|popularly|simply|widely|best"
    r"|internationally|more commonly|credited|released) )*"
    r"(?:known(?: \w+)? as|known by (?:his|her|their|its|the)(?: \w+){1,2}(?: of)?|released as|credited as"
    r"|called|named|abbreviated as|abbreviated to|abbreviated|short for"
    r"|nicknamed|renamed to|renamed as|renamed|aka|a\.k\.a|a\.k\.a\.|née)(?: the| “| \"| '| just)?"
    r"|[,(] (?:also |sometimes |often |alternatively )?(?:spelled|spelt|written|stylized as|stylised as"
    r"|romanized as|romanised as|transliterated as)(?: the| \")?"
    r"|is (?:commonly |often |usually )?abbreviated (?:to|as)(?: the)?"
    r"|[,(] (?:formerly|originally|previously|officially|or|or simply|i\.e|i\.e\.)(?: the)?"
    r"|(?:was|has been|is)(?: later| then| subsequently| now)? (?:renamed|rebranded)(?: as| to)?(?: the)?"
    r"|(?:has )?(?:later |then )?changed (?:its|his|her|their) name to(?: the)?"
)
# What one thing does to another: a text that says so speaks of two things, whatever else they are called.
_TELLS_APART = word_set("""
    replaced replaces superseded supersedes succeeded acquired acquires bought owns owned forked based derived
    merged
""")
# "called" joins two names only where the first one is what is called, not where it owns what is called.
_NEEDS_BE = re.compile(r"^(?:called|named)\b")


def _initials(words: list[str]) -> tuple[str, str]:
    """The initials with and without the small words between the names."""
    letters = [word[0].lower() for word in words if word[0].isalnum()]
    main = [word[0].lower() for word in words if word[0].isalnum() and word.lower() not in _SMALL]
    return "".join(letters), "".join(main)


def is_acronym(short: str, words: list[str]) -> bool:
    """Return whether `short` is made of the initials of these words, small words counted or not."""
    letters = "".join(char.lower() for char in short if char.isalnum())
    if len(letters) < 2 or len(words) < 2 or len(short) > 12 or not any(char.isupper() for char in short):
        return False
    parts = [part for word in words for part in word.split("-") if part]
    initials = (*_initials(words), *_initials(parts))
    # "GiST" for Generalized Search Tree: the capitals are the initials.
    capitals = "".join(char.lower() for char in short if char.isupper())
    return letters in initials or (len(capitals) > 2 and capitals in initials)


def find_aliases(sentence: Sentence, spans: list[Span]) -> list[tuple[int, int]]:
    """Pairs of positions in `spans` that the sentence says are one thing."""
    pairs: list[tuple[int, int]] = []
    words, lower = sentence.words, sentence.lower
    for left in range(len(spans) - 1):
        a, b = spans[left], spans[left + 1]
        gap = lower[a.last : b.first]
        if not gap:
            continue
        if gap[0] == "(":
            pairs.extend(_behind_bracket(sentence, spans, left))
        if len(gap) > _LONGEST_GAP:
            continue
        closed = b.last < len(words) and words[b.last] in (")", ",", ";")
        names_a, names_b = words[a.first : a.last], words[b.first : b.last]
        if gap == ["("] and closed:
            if (len(names_b) == 1 and is_acronym(names_b[0], names_a)) or (
                len(names_a) == 1 and is_acronym(names_a[0], names_b)
            ):
                pairs.append((left, left + 1))
            continue
        joined = " ".join(gap)
        # "Shan, Kaman, or Zerbadee" is a list.
        if gap[:2] == [",", "or"] and a.first > 0 and words[a.first - 1] == ",":
            continue
        if _KNOWN_AS.fullmatch(joined) and not _NEEDS_BE.match(joined) and _is_named(sentence, a):
            pairs.extend((left, other) for other in _names_in_row(lower, spans, left, gap[0] == "("))
    return pairs


def _names_in_row(lower: list[str], spans: list[Span], left: int, in_bracket: bool) -> Iterator[int]:
    """The names behind "also known as": of "B or C" both, in brackets also of '"B" and "C"'."""
    yield left + 1
    for other in range(left + 2, len(spans)):
        between = lower[spans[other - 1].last : spans[other].first]
        if between != ["or"] and not (in_bracket and between == ['"', "and", '"']):
            return
        yield other


def _behind_bracket(sentence: Sentence, spans: list[Span], left: int) -> list[tuple[int, int]]:
    """The pair of a name and the one behind its bracket: "Ann Lee (born 1980 in Oslo), known as Lia"."""
    lower, opened = sentence.lower, spans[left].last
    inside = lower[opened : opened + _LONGEST_BRACKET]
    if ")" not in inside or not _is_named(sentence, spans[left]):
        return []
    behind = opened + inside.index(")") + 1
    right = next((at for at in range(left + 1, len(spans)) if spans[at].first >= behind), None)
    if right is None or spans[right].first - behind > _LONGEST_GAP:
        return []
    joined = " ".join(lower[behind : spans[right].first])
    return [(left, right)] if joined.startswith(",") and _KNOWN_AS.fullmatch(joined) else []


def _is_named(sentence: Sentence, span: Span) -> bool:
    """Return whether a further name behind this one is its own, and not that of what the phrase is about.

    "The company of A, later known as B" names the company; "the new A was renamed B" is not about
    the A that everybody knew.
    """
    before = sentence.lower[span.first - 1] if span.first else ""
    if before == "the" and span.first > 1:
        before = sentence.lower[span.first - 2]
    opening = sentence.lower[span.first] if span.last - span.first > 1 else ""
    return before not in ("of", "new", "'s", "’s") and opening != "new"


def find_apart(sentence: Sentence, spans: list[Span]) -> list[tuple[int, int]]:
    """Pairs of positions in `spans` where the sentence says that one replaced or acquired the other."""
    pairs: list[tuple[int, int]] = []
    for left in range(len(spans) - 1):
        gap = sentence.lower[spans[left].last : spans[left + 1].first]
        if 0 < len(gap) <= 5 and not _TELLS_APART.isdisjoint(gap):
            pairs.append((left, left + 1))
    return pairs


def same_person(a: list[str], b: list[str]) -> bool:
    """Return whether two full names can be one person: one surname,
    and first names or initials that agree."""
    if a[-1] != b[-1] or len(a) < 2 or len(b) < 2:
        return False
    first_a, first_b = a[0].rstrip("."), b[0].rstrip(".")
    if first_a != first_b and not ((len(first_a) <= 2 or len(first_b) <= 2) and first_a[:1] == first_b[:1]):
        return False
    middle_a, middle_b = [word[0] for word in a[1:-1]], [word[0] for word in b[1:-1]]
    return not middle_a or not middle_b or middle_a[0] == middle_b[0]

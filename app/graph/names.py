"""Names: how they are compared and displayed, and which ones may be nodes."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS, split_into_word_set

MAX_NAME_BYTES = 512
"""Maximum length of a canonical name; a btree entry fails at 2,704 bytes, far above this
(docs/reliability.md, bad input 23).
"""

# Soft hyphen, zero-width, bidi and tag characters: they change how a name looks or compares but carry no
# meaning. Lone surrogates cannot be stored at all (docs/reliability.md, bad inputs 26, 27 and 5).
_INVISIBLE_CHARACTERS = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
# Hebrew points and Arabic vowel signs, which are optional, and the stroke that stretches a word. Marks that
# compose with their letter, such as a hamza, have been composed before.
VOWEL_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SPACES = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"(?<=\w)['\u2018\u2019\u02bc\uff07](?:s\b|(?=\s|$))", re.IGNORECASE)
_DOTTED_INITIALS = re.compile(r"(?:\b[^\W\d_]\.\s*+){2,}+")
_INITIAL = re.compile(r"[^\W\d_]")
# Everything except letters, their marks and digits becomes a space, but a plus or hash that ends a word and
# an ampersand inside one stay: C++, C#, AT&T.
_PUNCTUATION = re.compile(r"(?<![\w+#])[+#]+|[+#]+(?=[^\W_])|(?<!\w)&|&(?!\w)|(?:[^\w\s+#&]|_)+")
_LONE_AND = re.compile(r"(?<=\s)&(?=\s)")
_ARTICLE = re.compile(r"(?:(?:the|an|a)\s+)+(?=\S)")
_QUOTES = "\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
_EDGE_CHARACTERS = _QUOTES + " ,;:!?\u2013\u2014*|~"
_NUMBERISH = re.compile(r"[\d\W_]*(?:\d(?:st|nd|rd|th|s|k|m|bn|am|pm|gb|mb|kb|ms)?)?[\d\W_]*")
# In capitals these are a country and an organisation, not pronouns.
_NOT_PRONOUNS = frozenset({"US", "WHO"})
_ROMAN_NUMERAL = re.compile(r"[ivxlcdm]+")


MONTHS_AND_DAYS = split_into_word_set(
    """
        january february march april may june july august september october november december jan feb apr
        jun jul aug sept oct nov monday tuesday wednesday thursday friday saturday sunday tues thurs today
        tomorrow yesterday
    """
)


def _strip_invisible(name: str) -> str:
    if name.isascii():
        return _CONTROL.sub(" ", name)
    return _CONTROL.sub(" ", _INVISIBLE_CHARACTERS.sub("", name))


@lru_cache(maxsize=8_192)
def _normalise_cached(name: str) -> str:
    if name.isascii() and name.replace(" ", "").isalnum():
        # Fast path for most names: a tenth of the time.
        return " ".join(name.lower().split())
    text = _POSSESSIVE.sub("", _strip_invisible(name))
    if not text.isascii():
        # Case folding can undo a composition and enable another; normalising twice is stable.
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        # Case folding leaves the dot of a Turkish capital I as a combining mark.
        text = VOWEL_POINTS.sub("", _INVISIBLE_CHARACTERS.sub("", text)).replace("i\u0307", "i")
        text = _POSSESSIVE.sub("", text)
    text = text.casefold()
    if "." in text:
        # "J.R.R. Tolkien", "J. R. R. Tolkien" and "JRR Tolkien" are one name; so are "U.S." and "US".
        text = _DOTTED_INITIALS.sub(lambda match: "".join(_INITIAL.findall(match[0])) + " ", text)
    text = _LONE_AND.sub("and", text)
    return " ".join(_PUNCTUATION.sub(_replace_punctuation, text).split())


def _replace_punctuation(punctuation: re.Match[str]) -> str:
    """Return a space, and keep marks within, which are not letters: Hindi and Thai vowels, free-standing
    accents.
    """
    if punctuation[0].isascii():
        return " "
    return "".join(character if is_combining_mark(character) else " " for character in punctuation[0])


def is_combining_mark(character: str) -> bool:
    """Return whether the character is written over, under or beside a letter and belongs to it."""
    return unicodedata.category(character) in ("Mn", "Mc")


def normalise_name(name: str) -> str:
    """Return the form by which names are compared (requirement 5.1); "" only for an unacceptable name.

    It is NFKC, case folded, without control and invisible characters and a possessive 's. Punctuation becomes
    a space, except where it is part of a name (C++, C#, AT&T). Homoglyphs stay different.
    """
    if len(name) > 4 * MAX_NAME_BYTES:
        return _normalise_cached.__wrapped__(name)  # too long to be worth remembering
    return _normalise_cached(name)


def normalise_names(names: Iterable[str]) -> list[str]:
    """Return the normalised form of each name, in order."""
    return [normalise_name(name) for name in names]


def normalise_possible_names(texts: Iterable[str]) -> list[str | None]:
    """Return the normalised form of each text as a name; None for one that no node may have."""
    return [normalise_name(text) if may_node_have_name(text) else None for text in texts]


@lru_cache(maxsize=8_192)
def _clean_name_cached(name: str) -> str:
    text = _strip_invisible(name)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    text = _SPACES.sub(" ", text).strip(_EDGE_CHARACTERS)
    # Only in lower case: in "The Hague" and "A Night at the Opera" the article is part of the name.
    return _ARTICLE.sub("", text, count=1).strip(_EDGE_CHARACTERS) if text[:1] in ("a", "t") else text


def _clean_name_of_any_length(name: str) -> str:
    return (
        _clean_name_cached(name) if len(name) <= 4 * MAX_NAME_BYTES else _clean_name_cached.__wrapped__(name)
    )


def clean_name(name: str) -> str:
    """Return the form in which a name is stored and displayed: NFC, one line, at most 512 bytes of UTF-8.

    Control and invisible characters, surrounding quotes and a lower-case leading article are removed.
    """
    text = _clean_name_of_any_length(name)
    if len(text) * 4 > MAX_NAME_BYTES:
        encoded = text.encode()
        if len(encoded) > MAX_NAME_BYTES:
            text = encoded[:MAX_NAME_BYTES].decode(errors="ignore").strip(_EDGE_CHARACTERS)
    return text


def may_node_have_name(name: str) -> bool:
    """Return whether a node may have this name (requirement 5.1).

    Not acceptable: pronouns, bare numbers and dates, months and weekdays, single letters, stop words, names
    without a letter, and names over 512 bytes.
    """
    # Check the length before any other work: a name may be a megabyte long (docs/reliability.md, bad
    # input 55).
    return len(name) <= 4 * MAX_NAME_BYTES and _is_acceptable_cached(name)


@lru_cache(maxsize=8_192)
def _is_acceptable_cached(name: str) -> bool:
    text = _clean_name_cached(name)
    if not text or len(text.encode()) > MAX_NAME_BYTES:
        return False
    normalised_name = normalise_name(text)
    if not normalised_name or _NUMBERISH.fullmatch(normalised_name):
        return False
    if (
        len(normalised_name) == 1 and normalised_name < "\u2e80"
    ):  # one ideograph can be a name, one letter cannot
        return False
    if text.replace(".", "") in _NOT_PRONOUNS:
        return True
    words = normalised_name.split()
    if not any(character.isalpha() for character in normalised_name):
        return False
    return not all(
        word in PRONOUNS or word in STOP_WORDS or word in MONTHS_AND_DAYS or _NUMBERISH.fullmatch(word)
        for word in words
    )


def is_roman_numeral(word: str) -> bool:
    """Return whether the word consists only of the letters of Roman numerals, in either case."""
    return _ROMAN_NUMERAL.fullmatch(word.lower()) is not None


def _rank_name_by_mixed_case(name: str) -> int:
    return 0 if name.isupper() or name.islower() else 1


def choose_fuller_name(name: str, other_name: str) -> str:
    """Return the one of an entity's two names that becomes canonical.

    More words win, then more characters, then mixed case over one case, then the first in code point order.
    This is a total order, so that the result does not depend on which name came first.
    """
    if name == other_name:
        return name
    rank = (len(normalise_name(name).split()), len(name), _rank_name_by_mixed_case(name))
    other_rank = (
        len(normalise_name(other_name).split()),
        len(other_name),
        _rank_name_by_mixed_case(other_name),
    )
    if rank != other_rank:
        return name if rank > other_rank else other_name
    return min(name, other_name)


# Adjacent words that begin with a capital or a digit.
_CAPITALISED_WORDS = re.compile(r"(?<!\w)(?:[^\W\d_a-z]|\d)[\w'’-]*(?:\.?[^\S\n](?:[^\W\d_a-z]|\d)[\w'’-]*)*")
_NAME_WORD = re.compile(r"[\w'’-]+")
_POSSESSIVE_ENDING = re.compile(r"['’]s?$")
WORDS_BESIDE_NAMES = split_into_word_set(
    """
        mr mrs ms mx miss dr prof professor sir dame lord lady saint st king queen prince princess captain
        major colonel general sergeant president chairman chairwoman chair chief executive officer ceo cfo cto
        coo director manager head minister secretary senator governor mayor judge justice councillor
        ambassador engineer analyst nurse doctor father mother sister brother uncle aunt founder owner
        jr sr phd md esq inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag
        monday tuesday wednesday thursday friday saturday sunday january february march april may june july
        august september october november december yesterday today tomorrow
    """
)
"""Words that occur before or after a name but do not belong to one: "President Stone", "Steel Ltd"."""


def flag_texts_about_namesakes(texts: Iterable[str], names: Collection[str]) -> list[bool]:
    """Return for each text whether a word it shares with these names belongs to the name of another entity.

    "Rex works for Carlin Steel" is not about Marlin Steel. A part of a name by itself ("Steel", "Mr Stone")
    may stand for the whole, and a text with one of the names is about it.
    """
    words_of_names = [
        (words, words - WORDS_BESIDE_NAMES - STOP_WORDS) for words in map(set, map(_list_name_words, names))
    ]
    return [_does_text_name_only_a_namesake(text, words_of_names) for text in texts]


NameWords = tuple[set[str], set[str]]
"""All words of a name, and those that distinguish it."""


def _does_text_name_only_a_namesake(text: str, words_of_names: Sequence[NameWords]) -> bool:
    """Return whether the text names only a namesake; `words_of_names` are (all words, distinctive words) per
    name.
    """
    capitalised_names = [set(capitalised_name) for capitalised_name in _list_capitalised_names(text)]
    names_namesake = False
    for words, distinctive_words in words_of_names:
        if len(distinctive_words) < 2:
            if any(distinctive_words <= capitalised_name for capitalised_name in capitalised_names):
                return False
            continue
        for capitalised_name in capitalised_names:
            shared_words = capitalised_name & distinctive_words
            if shared_words and (
                shared_words == distinctive_words or not _list_words_not_in_name(capitalised_name, words)
            ):
                return False
            names_namesake = names_namesake or bool(shared_words)
    return names_namesake


def _list_words_not_in_name(capitalised_name: set[str], name_words: set[str]) -> set[str]:
    """Return the words of a run that the name does not have; an initial ("R.") may abbreviate one of its
    words.
    """
    initials = {word[0] for word in name_words}
    return {
        word
        for word in capitalised_name - name_words - WORDS_BESIDE_NAMES
        if not (word.isalpha() and word in initials)
    }


def _list_capitalised_names(text: str) -> Iterator[list[str]]:
    """Yield the names of a text as lists of words, without a function word capitalised at a
    sentence's start.
    """
    for match in _CAPITALISED_WORDS.finditer(text):
        words = _list_name_words(match[0])
        while words and (words[0] in STOP_WORDS or words[0] in PRONOUNS or words[0].endswith("ly")):
            words = words[1:]
        if words:
            yield words


def _list_name_words(text: str) -> list[str]:
    return [_POSSESSIVE_ENDING.sub("", word) for word in _NAME_WORD.findall(text.casefold())]

"""Find names in running text, by the rules of the text's script; pure.

Texts and questions are read by the same rules (record 82):

1. A name occurs where it is written with a boundary on both sides. There is no boundary between letters of a
   spaced script, so Art does not occur in Artist. Ideographs and syllables of Southeast Asian scripts have
   one between any two, kana where the script changes. No boundary separates a letter from its marks.
2. Grammatical elements written next to a name without a space are not part of it: Korean and Japanese
   particles after it, Arabic, Hebrew and Ethiopic proclitics before it. They are closed lists.
3. In an inflecting language, a word is a form of a name's word if its ending replaces the listed ending. The
   word as written is then the surface. Languages of non-Latin scripts are identified by the script; a
   language of Latin script must be identified by name, so that English stays strict. Of a script without any
   list (Gujarati, Odia, Sinhala, Thaana, …) a word is a form of a word with which it begins, if that is at
   least half of it.

A model that lists the forms of a name goes further: `may_written_form_be_of_name` accepts changed stems,
initial mutations and prefixes without any list, because the model states the relation and the text contains
the form.

The lists are in name_grammar.toml, with their sources. Each decision about a position reads a bounded number
of characters, so a search is linear in the text.
"""

import tomllib
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from app.domain.char_range import CharRange
from app.graph.text_folding import FoldedText, fold_text

MAX_AFFIX_CHARACTERS = 12
"""Maximum number of characters of particles or endings that are read next to a name."""
MAX_PARTICLES = 3
MIN_WORD_LENGTH, MIN_STEM_LENGTH = 3, 1
"""Minimum length of a word that is checked for endings or proclitics, and of its invariable part."""
MAX_INFLECTED_NAME_WORDS = 8
"""Maximum number of words of a name that may be inflected."""

DIGIT, OTHER = "Digit", "Other"
# First and last code point, script: the ranges of Unicode's Scripts.txt that the rules use, in order.
SCRIPT_RANGES = (
    (0x0041, 0x024F, "Latin"), (0x0370, 0x03FF, "Greek"), (0x0400, 0x052F, "Cyrillic"),
    (0x0531, 0x058F, "Armenian"), (0x0591, 0x05F4, "Hebrew"), (0x0600, 0x06FF, "Arabic"),
    (0x0750, 0x077F, "Arabic"), (0x0870, 0x08FF, "Arabic"), (0x0900, 0x097F, "Devanagari"),
    (0x0980, 0x09FF, "Bengali"), (0x0B80, 0x0BFF, "Tamil"), (0x0C00, 0x0C7F, "Telugu"),
    (0x0C80, 0x0CFF, "Kannada"), (0x0D00, 0x0D7F, "Malayalam"), (0x0E00, 0x0E7F, "Thai"),
    (0x0E80, 0x0EFF, "Lao"), (0x1000, 0x109F, "Myanmar"), (0x10A0, 0x10FF, "Georgian"),
    (0x1100, 0x11FF, "Hangul"), (0x1200, 0x139F, "Ethiopic"), (0x1780, 0x17FF, "Khmer"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x1F00, 0x1FFF, "Greek"), (0x2E80, 0x2FDF, "Han"), (0x3005, 0x3007, "Han"),
    (0x3021, 0x3029, "Han"), (0x3041, 0x309F, "Hiragana"), (0x30A1, 0x30FF, "Katakana"),
    (0x3105, 0x312F, "Bopomofo"), (0x3131, 0x318E, "Hangul"), (0x31F0, 0x31FF, "Katakana"),
    (0x3400, 0x4DBF, "Han"), (0x4E00, 0x9FFF, "Han"), (0xA000, 0xA48F, "Yi"),
    (0xA8E0, 0xA8FF, "Devanagari"), (0xA9E0, 0xA9FF, "Myanmar"), (0xAA60, 0xAA7F, "Myanmar"),
    (0xAC00, 0xD7FB, "Hangul"), (0xF900, 0xFAFF, "Han"), (0xFB1D, 0xFB4F, "Hebrew"),
    (0xFB50, 0xFDFF, "Arabic"), (0xFE70, 0xFEFC, "Arabic"), (0xFF21, 0xFF5A, "Latin"),
    (0xFF66, 0xFF9F, "Katakana"), (0x1AFF0, 0x1B000, "Katakana"), (0x1B001, 0x1B11F, "Hiragana"),
    (0x1B120, 0x1B122, "Katakana"), (0x1B132, 0x1B152, "Hiragana"), (0x1B155, 0x1B167, "Katakana"),
    (0x20000, 0x3347F, "Han"),
)  # fmt: skip
_FIRST_CODE_POINTS = [first for first, _, _ in SCRIPT_RANGES]
# Scripts without spaces between words. There is a boundary between syllables; kana have rules of their own.
_SYLLABIC_SCRIPTS = frozenset({"Han", "Bopomofo", "Yi", "Thai", "Lao", "Myanmar", "Khmer"})
_UNSPACED_SCRIPTS = _SYLLABIC_SCRIPTS | {"Hiragana", "Katakana"}
# Thai and Lao vowels that Unicode classes as letters and that belong to the consonant before or after them,
# the long vowel mark, and signs that join the following consonant.
_VOWELS_JOINED_TO_PREVIOUS = frozenset("ะาำๅະາຳー")
_SIGNS_JOINING_NEXT = frozenset("เแโใไເແໂໃໄ\u17d2\u1039")


@lru_cache(maxsize=32_768)
def classify_script(character: str) -> str:
    """Return the script of a letter or mark, DIGIT, or OTHER if no rule concerns it; "" outside words."""
    if character.isdecimal():
        return DIGIT
    if not character.isalnum() and not unicodedata.category(character).startswith("M"):
        return ""
    code_point = ord(character)
    index = bisect_right(_FIRST_CODE_POINTS, code_point) - 1
    return SCRIPT_RANGES[index][2] if index >= 0 and code_point <= SCRIPT_RANGES[index][1] else OTHER


@lru_cache(maxsize=32_768)
def _attaches_to_previous(character: str) -> bool:
    return character in _VOWELS_JOINED_TO_PREVIOUS or unicodedata.category(character).startswith("M")


def _find_script_of_word_ending_at(text: str, position: int) -> str:
    """Return the script of the word that ends at the position; a mark shared by scripts has that of its
    letter.
    """
    for index in range(position - 1, max(-1, position - 1 - MAX_AFFIX_CHARACTERS), -1):
        script = classify_script(text[index])
        if script != OTHER or not _attaches_to_previous(text[index]):
            return script
    return OTHER


def is_word_boundary(text: str, position: int) -> bool:
    """Return whether a word may begin or end at the position, judging by letters alone."""
    if position <= 0 or position >= len(text):
        return True
    previous_char, next_char = text[position - 1], text[position]
    if previous_char.isascii() and next_char.isascii():
        return not (previous_char.isalnum() and next_char.isalnum())
    script_before = _find_script_of_word_ending_at(text, position)
    if not script_before:
        return True
    if _attaches_to_previous(next_char) or previous_char in _SIGNS_JOINING_NEXT:
        return False
    script_after = classify_script(next_char)
    if not script_after:
        return True
    if script_before == script_after:
        return script_before in _SYLLABIC_SCRIPTS
    return (
        script_after != "Hangul"
        and script_before != "Hangul"
        and not _UNSPACED_SCRIPTS.isdisjoint((script_before, script_after))
    )


def may_name_begin_at(text: str, start: int, end: int) -> bool:
    """Return whether a name may begin at `start`: at a boundary, or after a prefix of its script."""
    if is_word_boundary(text, start):
        return True
    script = classify_script(text[start])
    if script == "Hiragana":
        text_before = text[max(0, start - MAX_AFFIX_CHARACTERS) : start]
        return classify_script(text_before[-1]) == script and text_before.endswith(
            _load_grammar().particles["Hiragana"]
        )
    proclitics = _load_grammar().proclitics.get(script)
    if proclitics is None or end - start < MIN_WORD_LENGTH or _attaches_to_previous(text[start]):
        return False
    word_start = start
    while word_start > max(0, start - MAX_AFFIX_CHARACTERS) and not is_word_boundary(text, word_start):
        word_start -= 1
    return text[word_start:start] in proclitics


def may_name_end_at(text: str, start: int, end: int) -> bool:
    """Return whether a name may end at `end`: at a boundary, or before particles."""
    if is_word_boundary(text, end):
        return True
    if _attaches_to_previous(text[end]) or end - start < 2:
        return False
    script = classify_script(text[end])
    if script == "Hiragana":
        return classify_script(text[end - 1]) == script and text.startswith(
            _load_grammar().particles[script], end
        )
    if script != "Hangul":
        return False
    run_end = end
    while run_end < min(len(text), end + MAX_AFFIX_CHARACTERS) and classify_script(text[run_end]) == "Hangul":
        run_end += 1
    return is_word_boundary(text, run_end) and _are_hangul_particles(
        text[end:run_end], text[end - 1], MAX_PARTICLES
    )


def _are_hangul_particles(run: str, char_before: str, max_particles: int) -> bool:
    """Return whether a run of Hangul consists only of particles that fit the preceding sound."""
    if not run:
        return True
    particles = _load_grammar().particles["Hangul"]
    if not ("가" <= char_before <= "힣"):
        particles += (
            _load_grammar().particles["Hangul_after_consonant"]
            + _load_grammar().particles["Hangul_after_vowel"]
        )
    elif (ord(char_before) - ord("가")) % 28 == 0:
        particles += _load_grammar().particles["Hangul_after_vowel"]
    else:
        # A final l counts as a vowel before ro.
        particles += _load_grammar().particles["Hangul_after_consonant"] + (
            ("로", "로서", "로써", "로부터") if (ord(char_before) - ord("가")) % 28 == 8 else ()
        )
    return max_particles > 0 and any(
        _are_hangul_particles(run[len(particle) :], particle[-1], max_particles - 1)
        for particle in particles
        if run.startswith(particle)
    )


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The closed lists, folded as texts are.

    `endings`: by script, or by language for Latin script, the ending of a word → the listed endings that it
    may replace.
    """

    particles: Mapping[str, tuple[str, ...]]
    proclitics: Mapping[str, frozenset[str]]
    contractions: Mapping[str, Mapping[str, str]]
    conjunctions: frozenset[str]
    interrogatives: frozenset[str]
    endings: Mapping[str, Mapping[str, frozenset[str]]]


@cache
def _load_grammar() -> _Grammar:
    document = tomllib.loads(Path(__file__).with_name("name_grammar.toml").read_text(encoding="utf-8"))
    endings: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for language_code, language in document["language"].items():
        endings_key = language_code if language["script"] == "Latin" else language["script"]
        for listed_ending, replacement in _list_ending_replacements(language):
            endings[endings_key][_fold_text_cached(replacement)].add(_fold_text_cached(listed_ending))
    return _Grammar(
        particles={list_name: tuple(words.split()) for list_name, words in document["particles"].items()},
        proclitics={script: frozenset(words.split()) for script, words in document["proclitics"].items()},
        contractions=document["contractions"],
        conjunctions=frozenset(" ".join(document["conjunctions"].values()).split()),
        interrogatives=frozenset(" ".join(document["interrogatives"].values()).split()),
        endings={
            endings_key: {
                replacement: frozenset(listed_endings)
                for replacement, listed_endings in forms_by_ending.items()
            }
            for endings_key, forms_by_ending in endings.items()
        },
    )


class _EndingReplacement(NamedTuple):
    """The ending of a listed name, and one that replaces it in an inflected form."""

    listed_ending: str
    replacement: str


def _list_ending_replacements(language: Mapping[str, Mapping[str, str]]) -> Iterator[_EndingReplacement]:
    """Yield the endings of names in this language, and those that replace them."""
    case_endings = str(language.get("cases", "")).split()
    for case_ending in case_endings:
        yield _EndingReplacement("", case_ending)
    for listed_ending, stems in language.get("stems", {}).items():
        for stem in stems.split():
            yield from (_EndingReplacement(listed_ending, stem + case_ending) for case_ending in case_endings)
    for listed_ending, replacements in language.get("endings", {}).items():
        yield from (_EndingReplacement(listed_ending, ending) for ending in replacements.split())


@lru_cache(maxsize=16_384)
def _fold_text_cached(text: str) -> str:
    return fold_text(text).text


def inflects_names(language: str | None) -> bool:
    """Return whether this is a language of Latin script that inflects names."""
    return language in _load_grammar().endings


@lru_cache(maxsize=32_768)
def list_possible_base_forms(word: str, language: str | None) -> frozenset[str]:
    """Return the words of names that a folded word may be a form of, except itself.

    `language` selects the endings for Latin script; other scripts have their own.
    """
    if len(word) < MIN_WORD_LENGTH:
        return frozenset()
    script = _find_script_of_word_ending_at(word, len(word))
    forms = set()
    for prefix, article in _load_grammar().contractions.get(script, {}).items():
        if word.startswith(prefix) and len(word) - len(prefix) >= MIN_WORD_LENGTH - 1:
            forms.add(article + word[len(prefix) :])
    endings = _load_grammar().endings.get((language or "") if script == "Latin" else script, {})
    if script == OTHER:
        forms.update(
            word[: len(word) - ending_length]
            for ending_length in range(1, _measure_longest_unlisted_ending(word) + 1)
        )
    for ending_length in range(min(MAX_AFFIX_CHARACTERS, len(word) - MIN_STEM_LENGTH) + 1):
        stem, ending = word[: len(word) - ending_length], word[len(word) - ending_length :]
        for listed_ending in endings.get(ending, ()):
            if len(stem) + len(listed_ending) >= MIN_WORD_LENGTH:
                forms.add(stem + listed_ending)
    forms.discard(word)
    return frozenset(forms)


def _measure_longest_unlisted_ending(word: str) -> int:
    """Return how many characters of a word may be its ending if nothing is known about its language."""
    return min(MAX_AFFIX_CHARACTERS, len(word) // 2, len(word) - MIN_WORD_LENGTH)


def may_written_form_be_of_name(written_form: str, name: str) -> bool:
    """Return whether a stated form of a name may be one: each of its words has a run of letters in common
    with the name's word, of at least half of the shorter one (Caerdydd, Nghaerdydd).

    The name itself is not a form of it. Scripts that write particles beside unchanged words have no forms.
    """
    words, name_words = (
        [text[start:end] for start, end in list_ranges_of_spaced_words(text)]
        for text in (_fold_text_cached(written_form), _fold_text_cached(name))
    )
    return (
        len(words) == len(name_words) <= MAX_INFLECTED_NAME_WORDS
        and words != name_words
        and all(map(_share_half_of_letters, words, name_words))
    )


def _share_half_of_letters(word: str, other_word: str) -> bool:
    """Return whether two words have a run of letters in common, without their marks, of at least half of the
    shorter one and three letters.
    """
    if word == other_word:
        return True
    if {classify_script(word[0]), classify_script(other_word[0])} & {"Hangul", DIGIT}:
        return False
    letters, other_letters = (
        [
            character
            for character in unicodedata.normalize("NFD", text)
            if not unicodedata.combining(character)
        ]
        for text in (word, other_word)
    )
    longest_run = SequenceMatcher(None, letters, other_letters, autojunk=False).find_longest_match().size
    return longest_run >= MIN_WORD_LENGTH and longest_run * 2 >= min(len(letters), len(other_letters))


def does_language_append_to_names(text: str, language: str | None) -> bool:
    """Return whether this language appends the folded text to whole names, as in "MOL-t"."""
    return "" in _load_grammar().endings.get(language or "", {}).get(text, ())


def is_conjunction(word: str) -> bool:
    """Return whether a word may join two names: "and", "oder"."""
    return word.casefold() in _load_grammar().conjunctions


def is_interrogative(word: str) -> bool:
    """Return whether a word is interrogative: "who", "quién", "когда"."""
    return word.casefold() in _load_grammar().interrogatives


def list_ranges_of_spaced_words(text: str) -> list[CharRange]:
    """Return the range of each word of a spaced script."""
    word_ranges = []
    word_start: int | None = None
    for position in range(len(text) + 1):
        is_inside_word = position < len(text) and classify_script(text[position]) != ""
        if word_start is not None and (not is_inside_word or is_word_boundary(text, position)):
            word_ranges.append((word_start, position))
            word_start = None
        if is_inside_word and word_start is None:
            word_start = position
    return [
        word_range
        for word_range in word_ranges
        if classify_script(text[word_range[0]]) not in _UNSPACED_SCRIPTS
    ]


def _list_texts_between(text: str, ranges: Sequence[CharRange]) -> list[str]:
    """Return the text between each two of these ranges."""
    return [text[end:start] for (_, end), (start, _) in pairwise(ranges)]


class NameFinder:
    """Finds names in one text. `guess_language` returns the text's language; it is called only if needed."""

    def __init__(self, text: str, guess_language: Callable[[], str | None]) -> None:
        self._text = text
        self._guess_language = guess_language

    @cached_property
    def _language(self) -> str | None:
        return self._guess_language()

    @cached_property
    def folded(self) -> FoldedText:
        """The text folded for comparison with names and quotes."""
        return fold_text(self._text)

    @cached_property
    def _word_ranges(self) -> list[CharRange]:
        return list_ranges_of_spaced_words(self.folded.text)

    @cached_property
    def _word_indices_by_form(self) -> Mapping[str, Sequence[int]]:
        word_indices: dict[str, list[int]] = defaultdict(list)
        for word_index, (start, end) in enumerate(self._word_ranges):
            word = self.folded.text[start:end]
            for form in (word, *list_possible_base_forms(word, self._language)):
                word_indices[form].append(word_index)
        return word_indices

    def find_ranges_of_name(self, name: str, limit: int) -> list[CharRange]:
        """Return the first `limit` ranges of the text where the name occurs, in order.

        Inflected forms are searched only if the name itself does not occur: they may be another name.
        """
        needle = _fold_text_cached(name).strip()
        folded_ranges = self._find_ranges_as_written(needle, limit) or self._find_inflected(
            needle, name, limit
        )
        return [(self.folded.starts[start], self.folded.ends[end - 1]) for start, end in folded_ranges]

    def _find_ranges_as_written(self, needle: str, limit: int) -> list[CharRange]:
        text = self.folded.text
        folded_ranges: list[CharRange] = []
        start = text.find(needle) if needle else -1
        while start >= 0 and len(folded_ranges) < limit:
            end = start + len(needle)
            if may_name_begin_at(text, start, end) and may_name_end_at(text, start, end):
                folded_ranges.append((start, end))
            start = text.find(needle, end)
        return folded_ranges

    def _find_inflected(self, needle: str, name: str, limit: int) -> list[CharRange]:
        if needle.isascii() and not inflects_names(self._language):
            return []
        word_ranges = list_ranges_of_spaced_words(needle)
        if not word_ranges or len(word_ranges) > MAX_INFLECTED_NAME_WORDS:
            return []
        words = [needle[start:end] for start, end in word_ranges]
        gaps = _list_texts_between(needle, word_ranges)
        if len(needle) != sum(map(len, words)) + sum(map(len, gaps)):
            return []  # It begins or ends with what is not a word, so it has one form only.
        folded_ranges: list[CharRange] = []
        for first_index in self._word_indices_by_form.get(words[0], ()):
            last_index = first_index + len(words) - 1
            if (
                len(folded_ranges) < limit
                and last_index < len(self._word_ranges)
                and self._words_are_forms_of(words, gaps, first_index, name)
            ):
                folded_ranges.append((self._word_ranges[first_index][0], self._word_ranges[last_index][1]))
        return folded_ranges

    def _words_are_forms_of(
        self, words: Sequence[str], gaps: Sequence[str], first_index: int, name: str
    ) -> bool:
        """Return whether the text's words starting at `first_index` are forms of these, capitalised if
        the name is.
        """
        ranges = self._word_ranges[first_index : first_index + len(words)]
        start = self.folded.starts[ranges[0][0]]
        if _list_texts_between(self.folded.text, ranges) != gaps or (
            name.strip()[:1].isupper() and self._text[start].islower()
        ):
            return False
        folded_words = (self.folded.text[begin:end] for begin, end in ranges)
        return all(
            folded_word == word or word in list_possible_base_forms(folded_word, self._language)
            for folded_word, word in zip(folded_words, words, strict=True)
        )


def does_name_occur_in(name: str, text: str, guess_language: Callable[[], str | None]) -> bool:
    """Return whether the name occurs in the text."""
    return bool(NameFinder(text, guess_language).find_ranges_of_name(name, 1))

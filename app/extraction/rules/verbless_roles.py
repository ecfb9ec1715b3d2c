"""Roles that a text states without a verb: titles in front of names, and lines of a team page or a CV.

"Town Clerk David Poole" and "Jane Doe – Head of Sales" state a role; "2014–2018 Engineer, Acme Ltd" is about
the person of the document's title.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.documents.sentences import find_start_after_list_mark, match_field_line
from app.domain.char_range import CharRange
from app.domain.node_types import GROUPS, PEOPLE
from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.claims.units import Unit, is_verb
from app.extraction.rules.english.grammar import ADVERBS
from app.extraction.rules.english.lexicon import DEMONYMS, HONORIFICS, KIND_OF, ROLES
from app.extraction.rules.english.name_words import OCCUPATIONS
from app.extraction.rules.english.words.families import KIN_RELATION_BY_NOUN
from app.extraction.rules.english.words.gender_titles import TITLES_OF_MEN, TITLES_OF_WOMEN
from app.extraction.rules.indices import EntityIndex, WordIndex
from app.extraction.rules.names.reader_names import ENTRY_SEPARATORS
from app.extraction.rules.pronouns.references import read_sentences_with_units
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import Tree
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, FoundPhrase, Surface
from app.graph.names import MONTHS_AND_DAYS

ROLE_PREDICATE = "as"
"""The predicate of a role without a verb: "Ann Lee as Head of Sales" says nothing of the time."""
ENTRY_CONFIDENCE = 0.8
"""Confidence that a line of this form states what it lists."""
PREFIX_CONFIDENCE = 0.85
"""Confidence that the nouns in front of a person's name state a role."""
_TITLE_RELATIONS = frozenset(("nmod:desc", "compound", "flat", "appos"))
"""Relations between a title and a name, whichever of them is the head."""
_MODIFIER_TAGS = frozenset(("NOUN", "PROPN", "ADJ"))
_FORMS_OF_ADDRESS = TITLES_OF_MEN | TITLES_OF_WOMEN | {"dr"}
"""Words between a title and a name that state no role of their own."""
_MAX_ENTRY_WORDS = 30
_WORDS_AFTER_ROLE = frozenset(
    (",", "–", "—", "-", "(", ")", ":", ";", "of", "for", "at", "in", "and", "&", "to")
)
_FINAL_MARKS = frozenset(".!?…")
_UNSTOPPED_LINE = re.compile(r"[^\s.!?…\"”][^\S\n]*$", re.MULTILINE)
_TERM = re.compile(
    r"(?:(?:since|from)\s+)?(?:\d{1,2}[./])?(?:[A-Z][a-z]+\.?\s+)?(?:19|20)\d\d"
    r"(?:\s*(?:–|—|-|to|until)\s*(?:(?:\d{1,2}[./])?(?:[A-Z][a-z]+\.?\s+)?(?:19|20)\d\d|present|today|now|date)?)?"
    r"(?=[\s:,])",
    re.IGNORECASE,
)
"""The years of an entry of a CV: "2014–2018", "since 2021", "09/2019 – present"."""


class _Entry(NamedTuple):
    """A person in front of a line, and the words behind the mark that separates them."""

    entity: EntityIndex
    quote: Surface
    value: str
    names_role: bool


def read_verbless_roles(
    chunk: ChunkText, entities: Sequence[FoundEntity], topic: EntityIndex | None
) -> Iterator[FoundPhrase]:
    """Yield the roles in the verbless lines of a chunk, as statements about the person of the line or the
    document's `topic`.

    A line without a known noun for a role counts if another line of its form has one.
    """
    if _UNSTOPPED_LINE.search(chunk.text) is None:
        return
    entries: list[_Entry] = []
    field_entries: list[_Entry] = []
    is_about_person = topic is not None and _is_person(entities[topic])
    for sentence, units, _, quote in read_sentences_with_units(chunk, entities):
        if not _is_whole_line(chunk.text, sentence):
            continue
        entry = _read_entry_of_person(chunk.text, sentence, units, quote, entities)
        field_entry = _read_labelled_role(sentence, units, quote, entities)
        if entry is not None:
            entries.append(entry)
        elif field_entry is not None:
            field_entries.append(field_entry)
        elif topic is not None and is_about_person:
            yield from _read_entry_of_life(sentence, units, quote, topic, entities)
    yield from _find_roles_of_lines(entries)
    yield from _find_roles_of_lines(field_entries)


def _find_roles_of_lines(entries: Sequence[_Entry]) -> Iterator[FoundPhrase]:
    """Yield the roles of lines of one form, if one of them has a known noun for a role."""
    if any(entry.names_role for entry in entries):
        for entry in entries:
            yield _build_phrase(entry.entity, ROLE_PREDICATE, entry.value, entry.quote)


def begins_role_entry(sentence: Sentence, name_start: int, name_end: int) -> bool:
    """Return whether a name in a list opens an entry that states a role: "- Gwen Parrish, Executive
    Director".
    """
    return (
        not any(
            word[0].isalnum() and word.rstrip(".") not in HONORIFICS for word in sentence.lower[:name_start]
        )
        and name_end + 1 < len(sentence.words)
        and sentence.words[name_end] in ENTRY_SEPARATORS
        and _does_noun_phrase_name_role(sentence.lower[name_end + 1 :])
    )


class Title(NamedTuple):
    """A person's title."""

    entity: EntityIndex
    text: str


def read_titles(tree: Tree, starts: Sequence[int], text: str) -> Iterator[Title]:
    """Yield the titles in front of the people whom a sentence names: "Town Clerk David Poole", "captain Luis
    Ortega".

    `starts` are the positions of the tree's words in `text`.
    """
    for index, unit in tree.units.items():
        if not _is_named_person(tree, index):
            continue
        title_words = _list_title_words(tree, index, unit.title_length, starts, text)
        if not title_words or not _may_noun_state_role(title_words[-1].lower()):
            continue
        # "Councillors A and B, Town Clerk C": the last one has a title of his own.
        person_indexes = [
            index,
            *(
                person_index
                for person_index in tree.dependents(index, "conj")
                if _is_named_person(tree, person_index)
                and not tree.units[person_index].title_length
                and tree.words[person_index - 1].lower() in ("and", ",", "&")
            ),
        ]
        is_plural = len(person_indexes) > 1 and title_words[-1].endswith("s")
        if not is_plural and title_words[-1].endswith("s") and not title_words[-1].endswith("ss"):
            continue
        for person_index in person_indexes if is_plural else [index]:
            yield Title(
                tree.units[person_index].entities[0],
                " ".join(title_words).removesuffix("s" if is_plural else ""),
            )


def _list_title_words(
    tree: Tree, name: WordIndex, title_length: int, starts: Sequence[int], text: str
) -> list[str]:
    """Return the words of the title in front of a name, without addresses ("Mrs") and adverbs ("later")."""
    if title_length:
        title_words = text[starts[name] :].split(maxsplit=title_length)[:title_length]
    else:
        title_words = text[slice(*_find_title_range(tree, name, starts))].split()
    while title_words and title_words[-1].lower().rstrip(".") in _FORMS_OF_ADDRESS:
        title_words.pop()
    while title_words and title_words[0].lower() in ADVERBS:
        title_words.pop(0)
    return title_words


def _find_title_range(tree: Tree, name: WordIndex, starts: Sequence[int]) -> CharRange:
    """Return the range of the title in front of a name in the sentence's text; (0, 0) without one."""
    noun = name - 1
    while noun > 0 and tree.words[noun].lower().rstrip(".") in _FORMS_OF_ADDRESS:
        noun -= 1
    if noun < 0 or not _does_noun_before_name_state_role(tree, noun, name):
        return 0, 0
    title_start = noun
    while title_start > 0 and (step := 2 if tree.words[title_start - 1] == "-" else 1) <= title_start:
        if not _is_part_of_title(tree, title_start - step):
            break
        title_start -= step
    has_other_article = (
        tree.parse.upos[title_start - 1] == "DET" and tree.words[title_start - 1].lower() != "the"
    )
    return (0, 0) if title_start > 0 and has_other_article else (starts[title_start], starts[noun + 1])


def _may_noun_state_role(word: str) -> bool:
    """Return whether a noun in front of a name may state what a person is."""
    noun = word.removesuffix("s")
    return (
        word.isalpha()
        and {KIND_OF.get(noun), KIND_OF.get(word)} <= {None, *PEOPLE}
        and noun not in KIN_RELATION_BY_NOUN
        and word not in DEMONYMS
        and word not in MONTHS_AND_DAYS
    )


def _is_named_person(tree: Tree, index: WordIndex) -> bool:
    unit = tree.units.get(index)
    return (
        unit is not None
        and unit.kind in PEOPLE
        and unit.is_certain
        and not unit.is_reference
        and len(unit.entities) == 1
        and index not in tree.cut_positions
    )


def _does_noun_before_name_state_role(tree: Tree, noun: WordIndex, name: WordIndex) -> bool:
    """Return whether a noun in front of a name states what the person is."""
    word = tree.words[noun].lower()
    if (
        noun in tree.units
        or not (tree.parse.upos[noun] in ("NOUN", "PROPN") or _does_noun_phrase_name_role([word]))
        # "Her husband Tom Reed": whose husband he is, is not said by these words.
        or tree.dependents(noun, "nmod:poss")
        or tree.dependents(name, "nmod:poss")
    ):
        return False
    child, head = (noun, name) if tree.parse.heads[noun] == name else (name, noun)
    is_attached = tree.parse.heads[child] == head and tree.parse.relations[child] in _TITLE_RELATIONS
    # Two subjects of one verb in a row are one: "the skipper Jonas Vik left".
    is_attached |= (
        noun == name - 1
        and tree.parse.heads[noun] == tree.parse.heads[name]
        and tree.parse.relations[noun] == tree.parse.relations[name]
    )
    # "The name Franck"
    is_attached &= tree.units[name].last - tree.units[name].first > 1
    is_capitalised = noun > 0 and tree.words[noun][0].isupper() and tree.words[noun - 1][0].isalnum()
    return is_attached or is_capitalised or _does_noun_phrase_name_role([word])


def _is_part_of_title(tree: Tree, index: WordIndex) -> bool:
    if index in tree.units:
        # "Brinley manager Graham Toll"
        return tree.units[index].kind not in PEOPLE and not tree.units[index].is_reference
    # "Managing Director"
    is_participle = tree.words[index][0].isupper() and tree.words[index].endswith("ing")
    return (tree.parse.upos[index] in _MODIFIER_TAGS or is_participle) and tree.words[index].replace(
        "-", ""
    ).isalpha()


def _is_person(entity: FoundEntity) -> bool:
    return entity.node_type in PEOPLE and entity.is_type_certain


def _is_whole_line(text: str, sentence: Sentence) -> bool:
    """Return whether a sentence is a line by itself, without a final mark."""
    line_start = text.rfind("\n", 0, sentence.start) + 1
    return (
        len(sentence.words) <= _MAX_ENTRY_WORDS
        and find_start_after_list_mark(text, line_start, sentence.end)
        == find_start_after_list_mark(text, sentence.start, sentence.end)
        and text[sentence.end : sentence.end + 1] in ("", "\n")
        and sentence.words[-1] not in _FINAL_MARKS
    )


def _read_entry_of_person(
    text: str, sentence: Sentence, units: Sequence[Unit], quote: Surface, entities: Sequence[FoundEntity]
) -> _Entry | None:
    """Return the entry of a line that begins with a person; None if the words behind are no noun phrase."""
    if not units or units[0].is_reference or len(units[0].entities) != 1:
        return None
    unit = units[0]
    if not _opens_line(sentence, unit, quote) or not _is_person(entities[unit.entities[0]]):
        return None
    value_start = unit.last + 1
    if value_start >= len(sentence.words) or sentence.words[unit.last] not in ENTRY_SEPARATORS:
        return None
    words = sentence.lower[value_start:]
    names_role = _does_noun_phrase_name_role(words)
    begins_with_name = any(next_unit.first == value_start for next_unit in units[1:])
    # What stands behind a colon may be anything: an answer, a task, an address.
    may_be_role = words[0].isalpha() and not begins_with_name and sentence.words[unit.last] != ":"
    if not (names_role or may_be_role) or any(map(is_verb, words)):
        return None
    value = text[sentence.starts[value_start] : sentence.end].strip()
    if sentence.words[unit.last] == "(" and value.endswith(")") and "(" not in value:
        value = value[:-1]
    return _Entry(unit.entities[0], quote, " ".join(value.split()), names_role)


def _opens_line(sentence: Sentence, unit: Unit, quote: Surface) -> bool:
    """Return whether a name opens a line or the value of a field; an honorific may precede it."""
    field = match_field_line(quote.text, 0, len(quote.text))
    possible_starts = (quote.start, quote.start + (0 if field is None else field.start("value")))
    name_start = unit.first
    while name_start > 0 and sentence.lower[name_start - 1].rstrip(".") in HONORIFICS:
        name_start -= 1
    return sentence.starts[name_start] in possible_starts


def _read_labelled_role(
    sentence: Sentence, units: Sequence[Unit], quote: Surface, entities: Sequence[FoundEntity]
) -> _Entry | None:
    """Return the entry of a line "Treasurer: Gareth Pugh"; None unless its value is one person's name."""
    field = match_field_line(quote.text, 0, len(quote.text))
    if field is None or len(units) != 1 or units[0].is_reference or len(units[0].entities) != 1:
        return None
    unit = units[0]
    value_start = next(
        (index for index, start in enumerate(sentence.starts) if start >= quote.start + field.start("value")),
        len(sentence.words),
    )
    is_whole_value = unit.last == len(sentence.words) and all(
        word.rstrip(".") in HONORIFICS for word in sentence.lower[value_start : unit.first]
    )
    if value_start > unit.first or not is_whole_value or not _is_person(entities[unit.entities[0]]):
        return None
    label_words = field["label"].split()
    if not all(word[0].isupper() and _may_noun_state_role(word.lower()) for word in label_words):
        return None
    return _Entry(
        unit.entities[0],
        quote,
        " ".join(label_words),
        _does_noun_phrase_name_role(field["label"].lower().split()),
    )


def _does_noun_phrase_name_role(words: Sequence[str]) -> bool:
    """Return whether a noun phrase ends with a noun for people with a task: "executive director"."""
    noun_end = next((index for index, word in enumerate(words) if word in _WORDS_AFTER_ROLE), len(words))
    noun = words[noun_end - 1] if noun_end else ""
    return any(
        KIND_OF.get(form) in PEOPLE or form in ROLES or form in HONORIFICS or form in OCCUPATIONS
        for form in (noun, noun.removesuffix("s"))
    )


def _read_entry_of_life(
    sentence: Sentence,
    units: Sequence[Unit],
    quote: Surface,
    person: EntityIndex,
    entities: Sequence[FoundEntity],
) -> Iterator[FoundPhrase]:
    """Yield what a line of a CV lists for some years: a role, or something at an organization."""
    term = _TERM.match(quote.text)
    if term is None:
        return
    value = quote.text[term.end() :].lstrip(" \t:,–—-")
    value_start = next(
        (
            index
            for index, start in enumerate(sentence.starts)
            if start >= quote.end - len(quote.text[term.end() :]) and sentence.words[index][0].isalpha()
        ),
        len(sentence.words),
    )
    words = sentence.lower[value_start:]
    has_group = any(
        unit.first >= value_start and entities[unit.entities[0]].node_type in GROUPS for unit in units
    )
    if words and (_does_noun_phrase_name_role(words) or has_group) and not any(map(is_verb, words)):
        yield _build_phrase(person, " ".join(term[0].split()), " ".join(value.split()), quote)


def _build_phrase(entity: EntityIndex, predicate: str, value: str, quote: Surface) -> FoundPhrase:
    return FoundPhrase(
        entity, FoundAttribute(predicate, value[:MAX_VALUE], quote, confidence=ENTRY_CONFIDENCE), None
    )

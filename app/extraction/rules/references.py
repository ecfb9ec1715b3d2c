"""The names of each sentence of a chunk, with what its pronouns and descriptions stand for among them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.documents.sentences import after_list_mark
from app.extraction.rules.claims.units import Unit
from app.extraction.rules.document_words import title_name
from app.extraction.rules.english.ends import DESCRIBED_KINDS, PEOPLE
from app.extraction.rules.english.grammar import (
    BE,
    HAVE,
    KIN_PRONOUNS,
    PEOPLE_PRONOUNS,
    PREPOSITIONS,
)
from app.extraction.rules.english.pairs import CALLED_AFTER, KIN
from app.extraction.rules.english.works import OWN_WORKS
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.types import is_written_as_person
from app.extraction.shapes import ChunkText, FoundEntity, Surface
from app.graph.names import normalise_name

# A name behind a pronoun is a guess: near the threshold, and below every stated one.
_TITLE_CONFIDENCE = 0.6
_PREVIOUS_CONFIDENCE = 0.55
_MAX_UNITS = 40
# A name up to here is what its sentence is about.
_HEAD = 3
_DETERMINED = frozenset(("the", "this"))
# Behind "his" and "her" these tell whose they are, as words for kin do.
_OWN = KIN | {"marriage", "successor", "predecessor"}
_CLOSES = [[mark] for mark in QUOTES]
# Only at the head of a sentence do these stand for what was said before.
_OPENING_REFERENCES = _DETERMINED | {"it"}
_ITS_NAME = ["its", "name"]


@dataclass(slots=True)
class Subjects:
    """The entities that a pronoun at the head of the next sentence may stand for."""

    title: int | None
    previous: int | None = None

    def follow(self, units: Sequence[Unit]) -> None:
        """Go on behind a sentence of these units: it is about its first one, if that stands at its head."""
        if units:
            self.previous = units[0].entities[0] if units[0].first <= _HEAD else None


def title_entity(chunk: ChunkText, entities: Sequence[FoundEntity]) -> int | None:
    key = normalise_name(title_name(chunk.document_title)).removeprefix("the ")
    if not key:
        return None
    for position, entity in enumerate(entities):
        names = (entity.name, *entity.aliases)
        if any(normalise_name(name).removeprefix("the ") == key for name in names):
            return position
    words = key.split()
    for position, entity in enumerate(entities):
        if entity.node_type == "Person" and len(words) > 1:
            name = normalise_name(entity.name).split()
            # "Rufus Carter" is the title of a text about Rufus Seaman Carter.
            if len(name) > 1 and (name[0], name[-1]) == (words[0], words[-1]):
                return position
    return None


def _fits(entity: FoundEntity, kinds: frozenset[str] | None) -> bool:
    if kinds is None:
        return not (entity.type_certain and entity.node_type == "Person")
    return entity.node_type in kinds and entity.type_certain


def _implied(
    word: str, noun: str, subjects: Subjects, entities: Sequence[FoundEntity]
) -> tuple[int, float] | None:
    """The entity behind a pronoun or "the company", and the most that a claim about it may weigh."""
    kinds: frozenset[str] | None
    if noun == "name":
        # "The name comes from": what the document is about is called so.
        return None if subjects.title is None else (subjects.title, _TITLE_CONFIDENCE)
    if word in PEOPLE_PRONOUNS or word in KIN_PRONOUNS:
        kinds = PEOPLE
    elif word == "it":
        kinds = None
    elif word in _DETERMINED and noun in DESCRIBED_KINDS:
        kinds = DESCRIBED_KINDS[noun]
    else:
        return None
    title, previous = subjects.title, subjects.previous
    if title is not None and _fits(entities[title], kinds) and (word != "it" or previous in (None, title)):
        return title, _TITLE_CONFIDENCE
    if previous is not None and _fits(entities[previous], kinds):
        return previous, _PREVIOUS_CONFIDENCE
    return None


def _mentioned(
    sentence: Sentence, mentions: Sequence[tuple[int, int, int]], entities: Sequence[FoundEntity]
) -> list[Unit]:
    """The mentions of a sentence as units of words, without overlap."""
    units: list[Unit] = []
    for start, end, entity in mentions[:_MAX_UNITS]:
        first = bisect_left(sentence.starts, start)
        last = bisect_left(sentence.starts, end)
        # The mark that closes a quoted title stands before no other word than the one behind the title.
        last += (
            first > 0 and sentence.words[first - 1] in QUOTES and sentence.words[last : last + 1] in _CLOSES
        )
        if first < last and (not units or first >= units[-1].last):
            units.append(
                Unit(
                    first,
                    last,
                    [entity],
                    entities[entity].node_type,
                    entities[entity].type_certain,
                    personal=is_written_as_person(entities[entity].name),
                )
            )
    return units


def _person_before(units: Sequence[Unit], at: int) -> tuple[int, float] | None:
    """The first person whom the sentence itself names before this word."""
    person = next(
        (unit for unit in units if unit.first < at and unit.kind == "Person" and unit.certain), None
    )
    return (person.entities[0], _TITLE_CONFIDENCE) if person is not None and person.most == 1.0 else None


def _has_own_work(lower: list[str], at: int) -> bool:
    """Return whether a pronoun begins "her first novel"."""
    return lower[at] in KIN_PRONOUNS and not OWN_WORKS.isdisjoint(lower[at + 1 : at + 5])


def _described_title(
    lower: list[str], at: int, units: Sequence[Unit], subjects: Subjects, entities: Sequence[FoundEntity]
) -> bool:
    """Return whether "the show" within a sentence stands for what the document is about."""
    described = lower[at] == "the" and at > 0 and at + 2 < len(lower)
    kinds = DESCRIBED_KINDS.get(lower[at + 1]) if described else None
    if kinds is None or subjects.title is None or not _fits(entities[subjects.title], kinds):
        return False
    follows = lower[at + 2]
    ends = (
        not follows[0].isalnum()
        or follows in BE
        or follows in HAVE
        or (follows in PREPOSITIONS)
        or follows == "and"
    )
    return ends and not any(unit.kind in kinds for unit in units)


def units_of(
    sentence: Sentence,
    mentions: Sequence[tuple[int, int, int]],
    entities: Sequence[FoundEntity],
    subjects: Subjects,
) -> list[Unit]:
    """The mentions of a sentence as units of words, with what its pronouns stand for among them."""
    units = _mentioned(sentence, mentions, entities)
    lower = sentence.lower
    taken = {at for unit in units for at in range(unit.first, unit.last)}
    opening = next((at for at, word in enumerate(lower) if word[0].isalnum()), -1)
    for at, word in enumerate(lower):
        if not _refers(lower, at, opening) and not _described_title(lower, at, units, subjects, entities):
            continue
        width = 2 if word in _DETERMINED or lower[at : at + 2] == _ITS_NAME else 1
        if at in taken or at + 1 in taken or at + width > len(lower):
            continue
        noun = lower[at + 1] if at + 1 < len(lower) else ""
        if noun == "name" and CALLED_AFTER.isdisjoint(lower):
            continue
        local = _person_before(units, at) if word in PEOPLE_PRONOUNS or _is_kin(lower, at) else None
        found = local or _implied(word, noun, subjects, entities)
        if found is not None:
            implied = entities[found[0]]
            units.append(Unit(at, at + width, [found[0]], implied.node_type, implied.type_certain, found[1]))
    units.sort(key=lambda unit: unit.first)
    return units


def _is_kin(lower: list[str], at: int) -> bool:
    """Return whether a pronoun begins "his wife", "her marriage" or "his successor"."""
    return lower[at] in KIN_PRONOUNS and not _OWN.isdisjoint(lower[at + 1 : at + 4])


def _refers(lower: list[str], at: int, opening: int) -> bool:
    """Return whether a word may stand for what was named before: a pronoun, or "the company" at the head."""
    if lower[at] in PEOPLE_PRONOUNS or _is_kin(lower, at):
        return True
    if at != opening:
        return False
    return lower[at] in _OPENING_REFERENCES or _has_own_work(lower, at) or lower[at : at + 2] == _ITS_NAME


def units_by_sentence(
    chunk: ChunkText, entities: Sequence[FoundEntity]
) -> Iterator[tuple[Sentence, list[Unit], Unit | None, Surface]]:
    """Each sentence with its units, what the document is about, and the sentence as a quote."""
    mentions = _mentions(entities)
    starts = [mention[0] for mention in mentions]
    title = title_entity(chunk, entities)
    subjects = Subjects(title)
    topic = None
    if title is not None:
        topic = Unit(
            0, 0, [title], entities[title].node_type, entities[title].type_certain, _TITLE_CONFIDENCE
        )
    for sentence in read_sentences(chunk.text):
        here = mentions[bisect_left(starts, sentence.start) : bisect_right(starts, sentence.end - 1)]
        units = units_of(sentence, here, entities, subjects)
        subjects.follow(units)
        start = after_list_mark(chunk.text, sentence.start, sentence.end)
        yield sentence, units, topic, Surface(chunk.text[start : sentence.end], start, sentence.end)


def _mentions(entities: Sequence[FoundEntity]) -> list[tuple[int, int, int]]:
    return sorted(
        (surface.start, surface.end, position)
        for position, entity in enumerate(entities)
        for surface in entity.surfaces
    )

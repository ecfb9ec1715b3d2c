"""The names of each sentence of a chunk, with what its pronouns and descriptions stand for among them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from app.documents.sentences import after_list_mark
from app.extraction.rules.claims.units import Unit, is_verb
from app.extraction.rules.document_words import title_name
from app.extraction.rules.english.dates import BEFORE_DATES, MONTHS
from app.extraction.rules.english.ends import DESCRIBED_KINDS
from app.extraction.rules.english.grammar import (
    BE,
    KIN_PRONOUNS,
    PEOPLE_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
)
from app.extraction.rules.english.pairs import CALLED_AFTER, ROLE_OF
from app.extraction.rules.english.words.families import KIN_OF, PAIRS
from app.extraction.rules.english.works import OWN_WORKS
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.pronouns.antecedents import (
    DETERMINED,
    HEAD,
    OF_GROUPS,
    PREVIOUS_CONFIDENCE,
    TITLE_CONFIDENCE,
    Subjects,
)
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.tokens import word_at
from app.extraction.rules.types import is_written_as_person
from app.extraction.shapes import ChunkText, FoundEntity, Surface
from app.graph.names import normalise_name

_MAX_UNITS = 40
# Behind "his" and "her" these tell whose they are, as words for kin do.
_OWN = KIN_OF.keys() | {"marriage", "successor", "predecessor"}
# And behind "its", at the head of a sentence.
_OF_FIRMS = frozenset(noun for noun, roles in ROLE_OF.items() if any(role.of_groups for _, role in roles))
_CLOSES = [[mark] for mark in QUOTES]
# Only at the head of a sentence do these stand for what was said before.
_OPENING_REFERENCES = DETERMINED | {"it"}
_ITS_NAME = ["its", "name"]
_PERSONAL = PEOPLE_PRONOUNS | KIN_PRONOUNS
_REFERENCES = _PERSONAL | _OPENING_REFERENCES | OF_GROUPS | {"its"}
# Words of "By the end of May 2010".
_LONGEST_DATE, _YEAR = 6, 4
_OF_DATES = BEFORE_DATES | frozenset((*MONTHS, ",", "now", "today", "then", "early", "late", "currently"))


def title_entity(chunk: ChunkText, entities: Sequence[FoundEntity]) -> int | None:
    key = normalise_name(title_name(chunk.document_title)).removeprefix("the ")
    if not key:
        return None
    for position, entity in enumerate(entities):
        if entity.is_background:
            continue
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


def _head_before(units: Sequence[Unit], at: int) -> tuple[int, float] | None:
    """The thing that the sentence begins with, if it is no person: "Falcon is led by Ann; since May it"."""
    head = units[0] if units and units[0].first <= HEAD and units[0].last <= at else None
    plain = head is not None and not (head.certain and head.kind == "Person") and len(head.entities) == 1
    return (head.entities[0], TITLE_CONFIDENCE) if head is not None and plain else None


def _has_own_work(lower: list[str], at: int) -> bool:
    """Return whether a pronoun begins "her first novel"."""
    return lower[at] in KIN_PRONOUNS and not OWN_WORKS.isdisjoint(lower[at + 1 : at + 5])


def _is_described_within(lower: list[str], at: int) -> bool:
    """Return whether "the company" within a sentence is all that is said of it, and no "the company of"."""
    if lower[at] != "the" or at == 0 or at + 2 >= len(lower) or lower[at + 1] not in DESCRIBED_KINDS:
        return False
    follows = lower[at + 2]
    if follows in POSSESSIVES or follows in PREPOSITIONS or follows == "and" or not follows[0].isalnum():
        return True
    return is_verb(follows) and lower[at + 3 : at + 4] != ["by"]


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
    named = list(units)
    for at, width in _references(sentence, named):
        if at in taken or at + 1 in taken or at + width > len(lower):
            continue
        word, noun = lower[at], word_at(lower, at + 1)
        if word in OF_GROUPS or noun in PAIRS:
            people = subjects.people_meant(word in OF_GROUPS, units, sentence, at)
            if people:
                units.append(Unit(at, at + width, list(people), "Person", True, PREVIOUS_CONFIDENCE))
            continue
        if noun == "name" and CALLED_AFTER.isdisjoint(lower):
            continue
        local = subjects.person_before(sentence, named, at) if word in _PERSONAL else None
        if word == "it" and _opens_part(lower, at):
            local = _head_before(named, at)
        before = [unit for unit in named if unit.last <= at]
        found = local or subjects.meant_by(word, noun, before, opens=not before)
        if found is not None:
            implied = entities[found[0]]
            units.append(Unit(at, at + width, [found[0]], implied.node_type, implied.type_certain, found[1]))
    units.sort(key=lambda unit: unit.first)
    return units


def _references(sentence: Sentence, named: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """The places of words that may stand for what was named before, and how many words each has."""
    lower = sentence.lower
    opening = next((at for at, word in enumerate(lower) if word[0].isalnum()), -1)
    # "In 2010 it bought": the head of a sentence may stand behind a date.
    head = named[0].first if named else len(lower)
    for at, word in enumerate(lower):
        if word not in _REFERENCES:
            continue
        if word == "the" and lower[at + 1 : at + 2] and lower[at + 1] in PAIRS:
            yield at, 2
        elif (
            _refers(lower, at, opening)
            or (at < head and word == "it" and _follows_date(lower, at))
            or _is_described_within(lower, at)
        ):
            yield at, 2 if word in DETERMINED or lower[at : at + 2] == _ITS_NAME else 1


def _follows_date(lower: list[str], at: int) -> bool:
    """Return whether nothing but a date stands before the word: "In 2010 it", "By May 2010, it"."""
    words = [word for word in lower[:at] if word != ","]
    return 0 < len(words) <= _LONGEST_DATE and words[-1].isdigit() and len(words[-1]) == _YEAR


def _is_kin(lower: list[str], at: int) -> bool:
    """Return whether a pronoun begins "his wife", "her marriage" or "his successor"."""
    return lower[at] in KIN_PRONOUNS | {"their"} and not _OWN.isdisjoint(lower[at + 1 : at + 4])


def _opens_part(lower: list[str], at: int) -> bool:
    """Return whether nothing but a date stands between a semicolon and this word."""
    first = at
    while first > 0 and (lower[first - 1].isdigit() or lower[first - 1] in _OF_DATES):
        first -= 1
    return first > 0 and lower[first - 1] == ";"


def _refers(lower: list[str], at: int, opening: int) -> bool:
    """Return whether a word may stand for what was named before: a pronoun, or "the company" at the head."""
    if lower[at] in PEOPLE_PRONOUNS or lower[at] == "they" or _is_kin(lower, at):
        return True
    if at != opening and not (lower[at] == "it" and _opens_part(lower, at)):
        return False
    if lower[at] in DETERMINED and lower[at + 3 : at + 4] == ["by"] and lower[at + 2] not in BE:
        return False  # "The company owned by Ann" is another one.
    if lower[at] == "its" and not _OF_FIRMS.isdisjoint(lower[at + 1 : at + 3]):
        return True
    return lower[at] in _OPENING_REFERENCES or _has_own_work(lower, at) or lower[at : at + 2] == _ITS_NAME


def units_by_sentence(
    chunk: ChunkText, entities: Sequence[FoundEntity]
) -> Iterator[tuple[Sentence, list[Unit], Unit | None, Surface]]:
    """Each sentence with its units, what the document is about, and the sentence as a quote."""
    mentions = _mentions(entities)
    starts = [mention[0] for mention in mentions]
    title = title_entity(chunk, entities)
    subjects = Subjects(title, entities)
    topic = None
    if title is not None:
        topic = Unit(0, 0, [title], entities[title].node_type, entities[title].type_certain, TITLE_CONFIDENCE)
    for sentence in read_sentences(chunk.text):
        here = mentions[bisect_left(starts, sentence.start) : bisect_right(starts, sentence.end - 1)]
        units = units_of(sentence, here, entities, subjects)
        subjects.follow(sentence, units)
        start = after_list_mark(chunk.text, sentence.start, sentence.end)
        yield sentence, units, topic, Surface(chunk.text[start : sentence.end], start, sentence.end)


def _mentions(entities: Sequence[FoundEntity]) -> list[tuple[int, int, int]]:
    return sorted(
        (surface.start, surface.end, position)
        for position, entity in enumerate(entities)
        for surface in entity.surfaces
    )

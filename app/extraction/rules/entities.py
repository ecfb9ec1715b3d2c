"""Pass 1 by rules: the things that one document names, tied together across its chunks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.aliases import Alias, find_aliases, find_apart, find_renamed
from app.extraction.rules.claims.descriptions import find_nationalities
from app.extraction.rules.document_words import DocumentWords, read_words, title_name
from app.extraction.rules.english.lexicon import COMPANIES, HEAD_NOUNS, PLACES, SUBJECT_VERBS, TECHNOLOGIES
from app.extraction.rules.english.nations import REGIONS
from app.extraction.rules.english.patterns.table import TRIE
from app.extraction.rules.english.votes import ADDRESS_STRENGTH, ALIKE, ENOUGH
from app.extraction.rules.names.offices import is_first_name
from app.extraction.rules.names.spans import Span, find_spans, place_of
from app.extraction.rules.names.things import Thing, clash, give_surname, join_companies, join_people, shorten
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.tokens import word_at
from app.extraction.rules.topic import bears_name, opens_with
from app.extraction.rules.types import (
    decide,
    in_address,
    looks_like_a_person,
    vote_by_context,
    vote_by_name,
    without_person,
)
from app.extraction.shapes import NOT_WRITTEN, ChunkText, FoundEntity, Surface, Vocabulary
from app.graph.names import acceptable_name, clean_name, fuller_name, normalise_name

_ALIAS_CONFIDENCE = 0.95
# Votes of a title that says what it names ("Heat (1995 film)"), and of a first sentence with "he" or "she".
_SAID_BY_TITLE, _SAID_BY_PRONOUN = 4.0, 0.5
# How far into the first sentence its subject may stand, behind an article and a quotation mark.
_OPENING = 2
_KNOWN_NAMES = PLACES | COMPANIES | TECHNOLOGIES
# Words of "sold its subsidiary".
_DEAL = 3
_STOPS = (".", "!", "?", ")", '"')


@dataclass(slots=True)
class _Place:
    thing: Thing
    start: int
    end: int
    adjective: bool = False
    described_until: int = 0


def _key_of(surface: str) -> str:
    key = normalise_name(surface)
    # "The Jungle Book" and "Jungle Book" are one thing; an article decides nothing between names.
    return key[4:] if key.startswith("the ") and len(key) > 4 else key


class _DocumentThings:
    """The things of one document, gathered chunk by chunk and then resolved."""

    def __init__(self, known: DocumentWords, title: str) -> None:
        self.known = known
        self.things: dict[str, Thing] = {}
        self.stated: list[tuple[Thing, Thing]] = []
        self.maiden: list[tuple[Thing, Thing]] = []
        self.deals: list[tuple[Thing, Thing]] = []
        self.before: list[Thing] = []
        self.today: set[tuple[str, str]] = set()
        self.apart: set[frozenset[str]] = set()
        self.rows: list[list[Thing]] = []
        self.addresses: list[tuple[Thing, Thing]] = []
        self.topic = self._topic()
        self.title_key = self.topic.key if self.topic is not None else _key_of(title_name(title))
        self.families: list[tuple[Thing, Thing]] = []
        self.opened = False
        self.born: Thing | None = None
        self.opening: Thing | None = None

    def _topic(self) -> Thing | None:
        """The thing that the title names, one of the document whether or not its text writes the name."""
        topic = self.known.topic
        thing = self._thing(topic.name, list(topic.written)) if topic is not None else None
        if thing is not None and topic is not None and topic.kind is not None:
            thing.votes[topic.kind] = thing.votes.get(topic.kind, 0.0) + _SAID_BY_TITLE
        return thing

    def read(self, chunk: ChunkText) -> list[_Place]:
        places: list[_Place] = []
        for sentence in read_sentences(chunk.text):
            spans = find_spans(sentence, self.known)
            found: list[Thing | None] = []
            for span in spans:
                start, end = place_of(sentence, span)
                surface = chunk.text[start:end]
                thing = self._thing(surface, sentence.words[span.first : span.last])
                found.append(thing)
                if thing is None:
                    continue
                if sentence.outside:
                    places.append(_Place(thing, start, end))
                    continue
                thing.in_prose = True
                thing.strong = thing.strong or not span.weak
                thing.name = fuller_name(thing.name, clean_name(surface))
                vote_by_context(sentence, span, thing.votes)
                places.append(_Place(thing, start, end, described_until=_end_of_description(sentence, span)))
            taken = {at for span in spans for at in range(span.first, span.last)}
            for first, last, country in find_nationalities(sentence):
                if first not in taken:
                    places.append(self._country(country, sentence.starts[first], sentence.ends[last - 1]))
            for alias in find_aliases(sentence, spans):
                self._read_alias(found[alias.name], found[alias.other], alias)
            self._read_renamed(sentence, spans, found)
            for left, right in find_apart(sentence, spans):
                a, b = found[left], found[right]
                if a is not None and b is not None:
                    self.apart.add(frozenset((a.key, b.key)))
            self._read_addresses(sentence, spans, found)
            self._read_rows(sentence, spans, found)
            self.deals += _pairs_of_deals(sentence, spans, found)
            for (one, two), pair in zip(pairwise(spans), pairwise(found), strict=True):
                if _succeeds_in_office(sentence, one, two):
                    for each in filter(None, pair):
                        each.votes["Person"] = each.votes.get("Person", 0.0) + ENOUGH
            self._read_families(sentence, spans, found)
            self._read_opening(sentence, spans, found)
        return places

    def _read_alias(self, name: Thing | None, other: Thing | None, alias: Alias) -> None:
        if name is None or other is None or name is other:
            return
        if alias.short:
            self.maiden.append((name, other))
            return
        self.stated.append((name, other))
        if alias.ordered:
            self.today.add((name.key, other.key))

    def _read_renamed(self, sentence: Sentence, spans: list[Span], found: list[Thing | None]) -> None:
        """Tie "It was renamed Zenith in 2021." to the only thing of the sentence before."""
        renamed = find_renamed(sentence, spans) if self.before and not sentence.outside else None
        if renamed is not None:
            kinds = [(each, decide(each.votes)[0]) for each in self.before]
            fitting = [
                each for each, kind in kinds if (kind == "Person") == renamed.person and kind != "Location"
            ]
            name = found[0]
            if len(fitting) == 1 and name is not None:
                pair = (fitting[0], name) if renamed.old else (name, fitting[0])
                self._read_alias(*pair, Alias(0, 0, ordered=True))
        if found:
            self.before = list({each.key: each for each in found if each is not None}.values())

    def _read_opening(self, sentence: Sentence, spans: list[Span], found: list[Thing | None]) -> None:
        """Tie what the document's first sentence is about to its title: "Barry Robert Pepper (born …" to
        "Barry Pepper".
        """
        topic = self.known.topic
        if self.opened or topic is None or self.topic is None or sentence.words[-1] not in _STOPS:
            return
        self.opened = True
        first = self.opening = found[0] if spans else None
        if first is not None and topic.kind is None and first.votes.get("Person", 0.0) >= ENOUGH:
            self.topic.votes.pop("Location", None)  # "Grant Henry Hill (born …" is no hill
        if "he" in sentence.lower or "she" in sentence.lower:
            self.topic.votes["Person"] = self.topic.votes.get("Person", 0.0) + _SAID_BY_PRONOUN
        if spans and found[0] is not None and found[0] is not self.topic and spans[0].first <= _OPENING:
            named = sentence.lower[spans[0].first : spans[0].last]
            if opens_with(topic, named):
                self.stated.append((self.topic, found[0]))
            elif sentence.lower[spans[0].last : spans[0].last + 1] == ["("] and bears_name(topic, named):
                self.born = found[0]

    def _country(self, name: str, start: int, end: int) -> _Place:
        """The place of an adjective of nationality, as a mention of its country."""
        key = _key_of(name)
        thing = self.things.get(key)
        if thing is None:
            words = name.split()
            thing = Thing(key, name, [word.lower() for word in words], words, {}, order=len(self.things))
            self.things[key] = thing
        thing.strong = True
        thing.votes["Location"] = thing.votes.get("Location", 0.0) + ENOUGH
        return _Place(thing, start, end, adjective=True)

    def _read_addresses(self, sentence: Sentence, spans: list[Span], found: list[Thing | None]) -> None:
        """Pairs of names as in "in Fredericton, New Brunswick"."""
        for index in range(len(spans) - 1):
            left, right = found[index], found[index + 1]
            if (
                left is not None
                and right is not None
                and in_address(sentence, spans[index], spans[index + 1])
            ):
                self.addresses.append((left, right))

    def _read_rows(self, sentence: Sentence, spans: list[Span], found: list[Thing | None]) -> None:
        """Rows of what may be people, "A, B and C": what one of them is, the others are."""
        row: list[Thing] = []
        for index, span in enumerate(spans):
            thing = found[index]
            if thing is not None and (
                looks_like_a_person(sentence, span) or decide(thing.votes)[0] == "Person"
            ):
                row.append(thing)
                if index + 1 < len(spans):
                    gap = sentence.lower[span.last : spans[index + 1].first]
                    if gap in ([","], ["and"], [",", "and"]) or " ".join(gap) in ALIKE:
                        continue
            if len(row) > 1:
                self.rows.append(row)
            row = []

    def _read_families(self, sentence: Sentence, spans: list[Span], found: list[Thing | None]) -> None:
        """Pairs as in "Tom and Eva Becker": a first name before a full one."""
        joints = (["and"], ["&"])
        family: Thing | None = None
        for index in range(len(spans) - 2, -1, -1):
            first, full = found[index], family or found[index + 1]
            gap = sentence.lower[spans[index].last : spans[index + 1].first]
            family = None
            if first is None or full is None or gap not in joints:
                joints = (["and"], ["&"])
                continue
            names = (first.words[0], full.words[0])
            if (len(first.words), len(full.words)) == (1, 2) and all(map(is_first_name, names)):
                self.families.append((first, full))
                # "Tom, Ben and Eva Becker"
                family, joints = full, ([","], [","])

    def _thing(self, surface: str, words: list[str]) -> Thing | None:
        key = _key_of(surface)
        thing = self.things.get(key)
        if thing is None:
            if not acceptable_name(surface):
                return None
            lower = [word.lower() for word in words]
            votes = vote_by_name(key, words, lower)
            if surface in self.known.code:
                votes[self.known.code[surface]] = votes.get(self.known.code[surface], 0.0) + 1.5
            thing = Thing(key, clean_name(surface), lower, words, votes, order=len(self.things))
            self.things[key] = thing
        return thing

    def resolve(self) -> None:
        self._apply_votes()
        if self.born is not None and self.topic is not None and not self.topic.in_prose:
            self.stated.append((self.topic, self.born))
        for a, b in self.stated:
            if frozenset((a.key, b.key)) not in self.apart and not clash(a.votes, b.votes):
                self._join_full(a, b)
        join_people(list(self.things.values()), self._join_full, self.title_key, self.opening)
        join_companies(self.things, self._join_full)
        for first, full in self.families:
            give_surname(self.things, first, full)
        for name, other in self.maiden:
            if other.is_own and other is not name.root():
                shorten(other, name)

    def _apply_votes(self) -> None:
        for thing in self.things.values():
            if without_person(thing.written):
                thing.votes.pop("Person", None)
        for left, right in reversed(self.addresses):
            around = right.key in REGIONS or (
                decide(right.votes) == ("Location", True) and right.key not in PLACES
            )
            if around and not decide(left.votes)[1] and "Person" not in left.votes:
                left.votes["Location"] = left.votes.get("Location", 0.0) + ADDRESS_STRENGTH
        for row in self.rows:
            if any(decide(thing.votes)[0] == "Person" for thing in row):
                for thing in row:
                    if not decide(thing.votes)[1]:
                        thing.votes["Person"] = thing.votes.get("Person", 0.0) + 1.5

        for firm, other in self.deals:
            unsure = not decide(other.votes)[1] and len(other.words) == 1
            if unsure and "Person" not in other.votes and decide(firm.votes) == ("Organization", True):
                other.votes["Organization"] = other.votes.get("Organization", 0.0) + ENOUGH

    def _join_full(self, a: Thing, b: Thing) -> None:
        """Make one thing of two whose names identify them everywhere."""
        a, b = a.root(), b.root()
        if a is b:
            return
        owner, other = (a, b) if fuller_name(a.name, b.name) == a.name else (b, a)
        if (a.key, b.key) in self.today:
            owner, other = a, b
        if self.title_key in (a.key, b.key) and self.topic is not None:
            owner, other = (a, b) if a.key == self.title_key else (b, a)
        other.identifies = True
        other.join(owner)
        for kind, strength in other.votes.items():
            owner.votes[kind] = owner.votes.get(kind, 0.0) + strength


def _pairs_of_deals(
    sentence: Sentence, spans: Sequence[Span], found: Sequence[Thing | None]
) -> Iterator[tuple[Thing, Thing]]:
    """Pairs as in "a contract between Acme and Initech", "sold Globex to Initech": with the first the second
    is a firm.
    """
    lower = sentence.lower
    for (left, right), (one, other) in zip(pairwise(spans), pairwise(found), strict=True):
        gap, before = lower[left.last : right.first], lower[max(0, left.first - _DEAL) : left.first]
        between = gap == ["and"] and before[-1:] == ["between"]
        sold = (gap == ["to"] and "sold" in before) or (gap == ["from"] and before[-1:] == ["bought"])
        if (between or sold) and one is not None and other is not None:
            yield one, other


def _succeeds_in_office(sentence: Sentence, left: Span, right: Span) -> bool:
    """Return whether one name takes over the other one's office: "Ulf Sand replaces Ole Berg as head of"."""
    gap = " ".join(sentence.lower[left.last : right.first])
    office = sentence.lower[right.last : right.last + 1] == ["as"] and gap in ALIKE
    return office and looks_like_a_person(sentence, left) and looks_like_a_person(sentence, right)


def _end_of_description(sentence: Sentence, span: Span) -> int:
    """Where "Dunlin reader" ends in "the Dunlin reader uses": a name by which the thing is known as well; 0
    where no word says so what the name is.
    """
    lower, last = sentence.lower, span.last
    if not (span.first and lower[span.first - 1] == "the" and lower[last : last + 1]):
        return 0
    follows = word_at(lower, last + 1, ".")
    ends = follows in STOP_WORDS or follows in TRIE or follows in SUBJECT_VERBS or not follows[0].isalnum()
    return sentence.ends[last] if ends and lower[last] in HEAD_NOUNS else 0


def _entity(thing: Thing, places: list[_Place], text: str, vocabulary: Vocabulary) -> FoundEntity | None:
    kind, certain = decide(thing.votes)
    if kind not in vocabulary.node_types:
        if "Concept" not in vocabulary.node_types:
            return None
        kind, certain = "Concept", False
    aliases: dict[str, None] = {}
    short_names: dict[str, None] = {}
    for place in places:
        surface = clean_name(text[place.start : place.end])
        if place.adjective:
            continue
        described = clean_name(text[place.start : place.described_until])
        if described and thing.key not in _KNOWN_NAMES:
            aliases[described] = None
        if place.thing is thing:
            if surface != thing.name and acceptable_name(surface):
                aliases[surface] = None
            continue
        if acceptable_name(surface):
            (aliases if place.thing.identifies else short_names)[surface] = None
    return FoundEntity(
        name=thing.name,
        node_type=kind,
        surfaces=tuple(Surface(text[place.start : place.end], place.start, place.end) for place in places)
        or (NOT_WRITTEN,),
        aliases=tuple(alias for alias in aliases if normalise_name(alias) != thing.key),
        short_names=tuple(short_names),
        type_certain=certain,
        confidence=_ALIAS_CONFIDENCE if certain else 0.7,
    )


def _is_named(thing: Thing, title_key: str) -> bool:
    """Return whether the text names the thing in a sentence; a title that names no topic is a heading."""
    return thing.strong or (thing.in_prose and decide(thing.votes)[1] and thing.key != title_key)


def entities_of_document(
    chunks: Sequence[ChunkText], vocabulary: Vocabulary
) -> list[tuple[FoundEntity, ...]]:
    """The entities of each chunk of one document, in order; empty for an unwanted chunk.

    Chunks that are not wanted are still read: a surname is tied to the full name that stands there.
    """
    title = chunks[0].document_title if chunks else ""
    reading = _DocumentThings(read_words((chunk.text for chunk in chunks), title), title)
    places = [reading.read(chunk) for chunk in chunks]
    reading.resolve()
    topic = reading.topic.root() if reading.topic is not None else None
    result: list[tuple[FoundEntity, ...]] = []
    for at, (chunk, found) in enumerate(zip(chunks, places, strict=True)):
        groups: dict[str, tuple[Thing, list[_Place]]] = {}
        if chunk.wanted:
            for place in found:
                thing = place.thing.root()
                if thing is topic or _is_named(thing, reading.title_key):
                    groups.setdefault(thing.key, (thing, []))[1].append(place)
            # Where the document opens it is about its topic, named there or not.
            if at == 0 and topic is not None:
                groups.setdefault(topic.key, (topic, []))
        entities = [_entity(thing, group, chunk.text, vocabulary) for thing, group in groups.values()]
        if chunk.wanted and vocabulary.statements and topic is not None and topic.key not in groups:
            background = _entity(topic, [], chunk.text, vocabulary)
            entities.append(None if background is None else replace(background, is_background=True))
        result.append(tuple(entity for entity in entities if entity is not None))
    return result

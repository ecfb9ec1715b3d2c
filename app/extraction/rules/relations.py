"""Pass 2 by rules: the relations that the sentences of one chunk state between the things that it names."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.documents.sentences import after_list_mark
from app.extraction.rules.claims.brackets import claims_of_life, without_brackets
from app.extraction.rules.claims.changes import claims_of_change
from app.extraction.rules.claims.clauses import claims_of_sentence
from app.extraction.rules.claims.dates import spans_of
from app.extraction.rules.claims.descriptions import born_first, claims_of_nationality, describes, qualifies
from app.extraction.rules.claims.units import Claim, Unit
from app.extraction.rules.document_words import title_name
from app.extraction.rules.english.ends import DESCRIBED_KINDS, PEOPLE
from app.extraction.rules.english.grammar import (
    BELIEFS,
    DOUBTED_SPEECH,
    DOUBTFUL_OPENINGS,
    HEDGES,
    KIN_PRONOUNS,
    PEOPLE_PRONOUNS,
    RUMOURS,
    UNSURE,
)
from app.extraction.rules.english.pairs import KIN
from app.extraction.rules.english.works import OWN_WORKS
from app.extraction.rules.sentences import Sentence, read_sentences
from app.extraction.rules.types import is_written_as_person
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation, Surface, Vocabulary
from app.graph.names import normalise_name
from app.graph.validity import DatePoint, Polarity

# A name behind a pronoun is a guess: near the threshold, and below every stated one.
_TITLE_CONFIDENCE = 0.6
_PREVIOUS_CONFIDENCE = 0.55
_MAX_UNITS = 40
# A name up to here is what its sentence is about.
_HEAD = 3
_OF_PLACES = frozenset(("located_in", "born_in", "died_in", "headquartered_in", "originates_in", "within"))
_DETERMINED = frozenset(("the", "this"))
_MARRIAGE = frozenset(("marriage",))
_CONDITIONS = frozenset(("if", "whether", "unless"))
_CLOSING_QUOTES = frozenset(("”", '"', "’", "»"))
# Words behind a quotation among which the verb of who says it is looked for.
_SPEAKER = 4
# Only at the head of a sentence do these stand for what was said before.
_OPENING_REFERENCES = _DETERMINED | {"it"}


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
        kin = word in KIN_PRONOUNS and not (KIN | _MARRIAGE).isdisjoint(lower[at + 1 : at + 4])
        if word in PEOPLE_PRONOUNS or kin:
            local = _person_before(units, at)
        elif at == opening and (word in _OPENING_REFERENCES or _has_own_work(lower, at)):
            local = None
        else:
            continue
        width = 2 if word in _DETERMINED else 1
        if at in taken or at + 1 in taken or at + width > len(lower):
            continue
        noun = lower[at + 1] if at + 1 < len(lower) else ""
        found = local or _implied(word, noun, subjects, entities)
        if found is not None:
            implied = entities[found[0]]
            units.append(Unit(at, at + width, [found[0]], implied.node_type, implied.type_certain, found[1]))
    units.sort(key=lambda unit: unit.first)
    return units


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


def _is_doubtful(sentence: Sentence, first: int) -> bool:
    """A question, a condition or a rumour states nothing; `first` is the place of its first name."""
    lower, last = sentence.lower, sentence.words[-1]
    if last == "?" or (len(sentence.words) > 1 and last in "\"'”’)" and sentence.words[-2] == "?"):
        return True
    # Not in capitals: "Dangerous Rumors" is a film.
    if lower[0] in DOUBTFUL_OPENINGS or not RUMOURS.isdisjoint(sentence.words):
        return True
    if lower[0] == "had" and not HEDGES.isdisjoint(lower):
        return True  # "Had Acme bought Zeta, it would": it did not.
    # "It is rumoured that", "nobody knows whether": all behind it is.
    lead = lower[: max(first, lower.index("that") if "that" in lower[:6] else 0)]
    if not _CONDITIONS.isdisjoint(lead) or not UNSURE.isdisjoint(lead):
        return True
    if "that" in lower[:6] or "that" in lead:
        before = lower[: lower.index("that")]
        return not HEDGES.isdisjoint(before) or not BELIEFS.isdisjoint(before)
    return any(
        mark in _CLOSING_QUOTES and not DOUBTED_SPEECH.isdisjoint(lower[at + 1 : at + _SPEAKER])
        for at, mark in enumerate(lower)
        if at > first
    )


Key = tuple[int, int, str, Polarity, DatePoint | None]
"""Ends, relation, polarity, and the date until which it held, if it did not go on."""


class _Stated(NamedTuple):
    """A triple as its chunk states it so far: the surest sentence, how many there are, and since when."""

    confidence: float
    quote: str
    times: int
    since: DatePoint | None

    def after(self, before: "_Stated | None") -> "_Stated":
        """The same triple with what the chunk stated of it before."""
        if before is None:
            return self
        surest = self if self.confidence > before.confidence else before
        since = surest.since or before.since or self.since
        return surest._replace(times=before.times + self.times, since=since)


def relations_of_chunk(
    chunk: ChunkText, entities: Sequence[FoundEntity], vocabulary: Vocabulary
) -> tuple[FoundRelation, ...]:
    """The relations that the chunk's sentences state between its own entities, in the order they are stated.

    Each quote is the whole sentence, character for character, without the mark of a list item. One triple in
    several sentences is one relation, with the surest sentence as its quote.
    """
    if not chunk.wanted or len(entities) < 2:
        return ()
    mentions = _mentions(entities)
    starts = [mention[0] for mention in mentions]
    subjects = Subjects(title_entity(chunk, entities))
    found: dict[Key, _Stated] = {}
    for sentence in read_sentences(chunk.text):
        here = mentions[bisect_left(starts, sentence.start) : bisect_right(starts, sentence.end - 1)]
        if not here:
            continue
        units = units_of(sentence, here, entities, subjects)
        subjects.follow(units)
        # A row of a table states nothing in words: which verb joins its cells stands in no sentence.
        if len(units) < 2 or sentence.outside or _is_doubtful(sentence, units[0].first):
            continue
        quote = chunk.text[after_list_mark(chunk.text, sentence.start, sentence.end) : sentence.end]
        for key, claim in _stated(chunk.text, sentence, units, vocabulary).items():
            found[key] = _Stated(claim.confidence, quote, 1, claim.since).after(found.get(key))
    return _without_empty_links(found)


def _stated(text: str, sentence: Sentence, units: list[Unit], vocabulary: Vocabulary) -> dict[Key, Claim]:
    """The triples of one sentence that the vocabulary allows, each as it is claimed most surely."""
    stated: dict[Key, Claim] = {}
    adjectives = [unit for unit in units if describes(sentence, unit)]
    names = [unit for unit in units if not (describes(sentence, unit) or qualifies(sentence, unit))]
    for claim in _claims(text, sentence, names, adjectives):
        if claim.relation not in vocabulary.relation_types or claim.confidence < vocabulary.min_confidence:
            continue
        if claim.source != claim.target:
            key = (claim.source, claim.target, claim.relation, claim.polarity, claim.until)
            if key not in stated or claim.confidence > stated[key].confidence:
                stated[key] = claim
    return stated


def _claims(text: str, sentence: Sentence, names: list[Unit], adjectives: list[Unit]) -> list[Claim]:
    """All claims of one sentence: of its clauses, of its descriptions and of the lives told in brackets."""
    described = [replace(unit) for unit in adjectives]
    plain, units, asides = without_brackets(sentence, [*names, *described])
    own = [unit for unit in units if not describes(plain, unit)]
    spans = spans_of(text, plain)
    claims, changed = claims_of_change(plain, own, spans)
    claims += (
        claim
        for claim in claims_of_sentence(plain, own, spans)
        if not (claim.source in changed and claim.target in changed)
    )
    claims += claims_of_nationality(plain, own, [unit for unit in units if describes(plain, unit)])
    claims += born_first(plain, own)
    for aside in asides:
        claims += claims_of_life(aside)
        inner = claims_of_sentence(aside.sentence, aside.units)
        claims += (claim for claim in inner if claim.relation == "within")
    return claims + list(_in_larger_places(claims))


def _in_larger_places(claims: Sequence[Claim]) -> Iterator[Claim]:
    """ "Born in Austin, Texas": what an address says of its first place it says of the others."""
    within: dict[int, Claim] = {claim.source: claim for claim in claims if claim.relation == "within"}
    for claim in claims:
        if claim.relation in _OF_PLACES and claim.polarity is Polarity.ASSERTED:
            seen = {claim.source, claim.target}
            larger = within.get(claim.target)
            while larger is not None and larger.target not in seen:
                seen.add(larger.target)
                yield replace(claim, target=larger.target, confidence=claim.confidence - 0.05)
                larger = within.get(larger.target)


def _without_empty_links(found: Mapping[Key, _Stated]) -> tuple[FoundRelation, ...]:
    """The relations without a bare `related_to` where the same two are linked by a verb that says how."""
    typed = {frozenset(key[:2]) for key in found if key[2] != "related_to"}
    return tuple(
        FoundRelation(
            source,
            target,
            relation,
            round(each.confidence, 3),
            each.quote,
            each.times,
            polarity,
            each.since,
            until,
        )
        for (source, target, relation, polarity, until), each in found.items()
        if relation != "related_to" or each.confidence > 0.5 or frozenset((source, target)) not in typed
    )

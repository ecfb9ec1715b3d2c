"""Statements of sentences in a language without rules: the words up to the main verb, the verb, and the rest,
all as written.

No word of a sentence is left out, so only its main verb has to be right. Where the weights include syntax, it
is the root of the tree. In a language whose main clauses have their verb in second position, it is the first
verb.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from app.extraction.attributes import MAX_VALUE
from app.extraction.rules.clause_subjects import MAX_NODES, MAX_SUBJECT_LENGTH
from app.extraction.rules.quotations import QUOTATION_MARKS
from app.extraction.rules.statements import CERTAINTY_LINE, MAX_SENTENCE_LENGTH, MIN_PARSE_CONFIDENCE
from app.extraction.rules.syntax import SUBJECTS
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, FoundPhrase, Surface

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline, ReadSentence

_VERB_SECOND_LANGUAGES = frozenset(("de",))
"""Languages without syntax whose main clauses have exactly one phrase before the finite verb."""
_MIN_VERB_PROBABILITY = 0.9
"""Minimum probability that the first verb is one."""
_MIN_SENTENCE_LENGTH = 4
"""Minimum number of tokens of a sentence that states something: "Acme wächst weiter."."""
_VERBS = frozenset(("VERB", "AUX"))
_CONTENT = frozenset(("NOUN", "PROPN", "NUM", "VERB", "ADJ"))
_NAMING = frozenset(("NOUN", "PROPN", "NUM", "X"))
_STOPS = frozenset((".", "!"))
_CLAUSE_MARKS = frozenset((":", ";", "(", ")", "–", "—"))
_REFLEXIVE = "sich"
_OF_PREDICATES = ("aux", "cop", "advmod", "expl")
"""Relations of the words around a verb that belong to the predicate, without their subtypes."""


class _MainVerb(NamedTuple):
    """The words `first` to `last` (exclusive) of a sentence's predicate, and the confidence in them."""

    first: int
    last: int
    confidence: float


def reads_clauses(language: str, pipeline: "Pipeline") -> bool:
    """Return whether the main verb of a sentence can be found in a language."""
    return pipeline.parses or language in _VERB_SECOND_LANGUAGES


def find_verb_clauses(
    chunk: ChunkText, entities: Sequence[FoundEntity], pipeline: "Pipeline"
) -> tuple[FoundPhrase, ...]:
    """Return the statements of the chunk's sentences about its entities: those before the verb, else those
    right after it.
    """
    sentences = [
        sentence
        for sentence in pipeline.read([chunk.text])[0]
        if _MIN_SENTENCE_LENGTH <= len(sentence.starts) <= MAX_SENTENCE_LENGTH
        and sentence.read_words.words[-1] in _STOPS
    ]
    words = [sentence.read_words.words for sentence in sentences]
    parses: list[Parse | None] = list(pipeline.parse(words)) if pipeline.parses else [None] * len(words)
    phrases: list[FoundPhrase] = []
    for sentence, parse in zip(sentences, parses, strict=True):
        if parse is not None:
            upos, verb = parse.upos, _find_root_verb(parse)
        else:
            upos, probabilities = pipeline.parts_of_speech(sentence.read_words, _VERBS)
            verb = _find_first_verb(sentence.read_words.words, upos, probabilities)
        if verb is not None and _is_whole(sentence.read_words.words, upos, verb, parse):
            phrases += _build_phrases(chunk, entities, sentence, verb)
    return tuple(phrases)


def _find_root_verb(parse: "Parse") -> _MainVerb | None:
    """Return the predicate of the tree's root with a subject before it; None if other words are within it."""
    root = next(index for index, head in enumerate(parse.heads) if head == index)
    # Without the subtypes that languages have of their own: "aux:tense".
    relation_by_child = {
        index: parse.relations[index].partition(":")[0]
        for index, head in enumerate(parse.heads)
        if head == root != index
    }
    copulas = [child for child, relation in relation_by_child.items() if relation == "cop" and child < root]
    if parse.upos[root] not in _VERBS and not copulas:
        return None
    verb = copulas[-1] if copulas else root
    first = verb
    while relation_by_child.get(first - 1) in _OF_PREDICATES:
        first -= 1
    front = {child: relation for child, relation in relation_by_child.items() if child < first}
    subjects = [child for child in front if parse.relations[child] in SUBJECTS]
    if not subjects or not {"aux", "cop"}.isdisjoint(front.values()):
        return None
    return _MainVerb(first, verb + 1, parse.confidence[root] * parse.confidence[subjects[-1]])


def _find_first_verb(
    words: Sequence[str], upos: Sequence[str], probabilities: Sequence[float]
) -> _MainVerb | None:
    """Return the first verb if it is surely one, and no infinitive; a capital belongs to a name."""
    first = next((index for index, tag in enumerate(upos) if tag in _VERBS), 0)
    is_sure = probabilities[first] >= _MIN_VERB_PROBABILITY and words[first].islower()
    if not first or not is_sure or upos[first - 1] == "PART":
        return None
    return _MainVerb(first, first + 1, probabilities[first])


def _is_whole(words: Sequence[str], upos: Sequence[str], verb: _MainVerb, parse: "Parse | None") -> bool:
    """Return whether a sentence is one assertion that is understood without the sentences before it."""
    front, rest = range(verb.first), range(verb.last, len(words))
    if len(front) > MAX_SUBJECT_LENGTH or "?" in words or "\n" in "".join(words):
        return False
    if not (QUOTATION_MARKS | _CLAUSE_MARKS).isdisjoint(words[index] for index in front):
        return False
    if any(upos[index] in ("SCONJ", "PRON") for index in front):
        return False
    has_content = any(upos[index] in _CONTENT for index in rest)
    return (
        has_content
        and any(upos[index] in _NAMING for index in front)
        and verb.confidence >= MIN_PARSE_CONFIDENCE
        and not any(_refers_outside(words, upos, index, parse) for index in range(verb.first, len(words)))
    )


def _refers_outside(words: Sequence[str], upos: Sequence[str], index: int, parse: "Parse | None") -> bool:
    """Return whether a word is a pronoun that is neither reflexive nor relative."""
    if upos[index] != "PRON":
        return False
    if parse is not None and parse.relations[index].startswith("expl"):
        return False
    before = index - 1 - (upos[index - 1] == "ADP")
    is_relative = words[before] == "," or (parse is not None and _is_in_relative_clause(parse, index))
    return not is_relative and words[index].lower() != _REFLEXIVE


def _is_in_relative_clause(parse: "Parse", index: int) -> bool:
    """Return whether a pronoun is the first word of a clause that modifies a noun before it."""
    head = parse.heads[index]
    is_first = all(other >= index for other, its_head in enumerate(parse.heads) if its_head == head)
    return parse.relations[head].startswith("acl") and parse.heads[head] < index and is_first


def _build_phrases(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    sentence: "ReadSentence",
    verb: _MainVerb,
) -> Iterator[FoundPhrase]:
    """Yield the statement for each name before the verb, else for those after it in the same clause."""
    words, starts, ends = sentence.read_words.words, sentence.starts, sentence.ends
    comma = next((index for index in range(verb.last, len(words)) if words[index] == ","), len(words) - 1)
    front_range = (starts[0], ends[verb.first - 1])
    nodes = _list_entities_between(entities, *front_range) or _list_entities_between(
        entities, starts[verb.last], ends[comma - 1]
    )
    front = _collapse(chunk.text[slice(*front_range)]).rstrip(",")
    predicate = _collapse(chunk.text[starts[verb.first] : ends[verb.last - 1]])
    rest = _collapse(chunk.text[starts[verb.last] : ends[-2]])
    if not 0 < len(rest) <= MAX_VALUE:
        return
    quote = Surface(chunk.text[starts[0] : ends[-1]], starts[0], ends[-1])
    certainty = round(CERTAINTY_LINE[0] + CERTAINTY_LINE[1] * verb.confidence, 2)
    for node in nodes[:MAX_NODES]:
        is_name_alone = any(
            (surface.start, surface.end) == front_range for surface in entities[node].surfaces
        )
        statement = FoundAttribute(
            predicate, rest, quote, confidence=certainty, subject="" if is_name_alone else front
        )
        yield FoundPhrase(node, statement, None)


def _list_entities_between(entities: Sequence[FoundEntity], start: int, end: int) -> list[int]:
    """Return the entities that a range of the text names, in the order of their first mention in it."""
    mentions_by_entity = (
        (
            min((surface.start for surface in entity.surfaces if start <= surface.start < end), default=-1),
            index,
        )
        for index, entity in enumerate(entities)
    )
    return [index for offset, index in sorted(mentions_by_entity) if offset >= 0]


def _collapse(text: str) -> str:
    return " ".join(text.split())

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
from app.extraction.rules.indices import EntityIndex, WordIndex
from app.extraction.rules.quotations import QUOTATION_MARKS
from app.extraction.rules.statement_certainty import MIN_PARSE_CONFIDENCE, estimate_certainty
from app.extraction.rules.syntax import MAX_SENTENCE_LENGTH, SUBJECT_RELATIONS
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, FoundPhrase, Surface

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline, TaggedSentence

_VERB_SECOND_LANGUAGES = frozenset(("de",))
"""Languages without syntax whose main clauses have exactly one phrase before the finite verb."""
_MIN_VERB_PROBABILITY = 0.9
"""Minimum probability that the first verb is one."""
_MIN_SENTENCE_LENGTH = 4
"""Minimum number of tokens of a sentence that states something: "Acme wächst weiter."."""
_VERB_TAGS = frozenset(("VERB", "AUX"))
_CONTENT_TAGS = frozenset(("NOUN", "PROPN", "NUM", "VERB", "ADJ"))
_NAMING_TAGS = frozenset(("NOUN", "PROPN", "NUM", "X"))
_SENTENCE_ENDS = frozenset((".", "!"))
_CLAUSE_MARKS = frozenset((":", ";", "(", ")", "–", "—"))
_REFLEXIVE_PRONOUN = "sich"
_PREDICATE_RELATIONS = ("aux", "cop", "advmod", "expl")
"""Relations of the words around a verb that belong to the predicate, without their subtypes."""


class _MainVerb(NamedTuple):
    """The words `start` to `end` (exclusive) of a sentence's predicate, and the confidence in them."""

    start: int
    end: int
    confidence: float


def can_main_verbs_be_found_in_language(language: str, pipeline: "Pipeline") -> bool:
    """Return whether the main verb of a sentence can be found in a language."""
    return pipeline.has_parser or language in _VERB_SECOND_LANGUAGES


def find_verb_clauses(
    chunk: ChunkText, entities: Sequence[FoundEntity], pipeline: "Pipeline"
) -> tuple[FoundPhrase, ...]:
    """Return the statements of the chunk's sentences about its entities: those before the verb, else those
    right after it.
    """
    sentences = [
        sentence
        for sentence in pipeline.read_sentences([chunk.text])[0]
        if _MIN_SENTENCE_LENGTH <= len(sentence.starts) <= MAX_SENTENCE_LENGTH
        and sentence.read_words.words[-1] in _SENTENCE_ENDS
    ]
    words_by_sentence = [sentence.read_words.words for sentence in sentences]
    parses: list[Parse | None] = (
        list(pipeline.parse(words_by_sentence)) if pipeline.has_parser else [None] * len(words_by_sentence)
    )
    phrases: list[FoundPhrase] = []
    for sentence, parse in zip(sentences, parses, strict=True):
        if parse is not None:
            upos, main_verb = parse.upos, _find_root_verb(parse)
        else:
            upos, probabilities = pipeline.tag_parts_of_speech(sentence.read_words, _VERB_TAGS)
            main_verb = _find_first_verb(sentence.read_words.words, upos, probabilities)
        if main_verb is not None and _is_complete_assertion(
            sentence.read_words.words, upos, main_verb, parse
        ):
            phrases += _build_phrases(chunk, entities, sentence, main_verb)
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
    if parse.upos[root] not in _VERB_TAGS and not copulas:
        return None
    verb = copulas[-1] if copulas else root
    predicate_start = verb
    while relation_by_child.get(predicate_start - 1) in _PREDICATE_RELATIONS:
        predicate_start -= 1
    front_relations = {
        child: relation for child, relation in relation_by_child.items() if child < predicate_start
    }
    subjects = [child for child in front_relations if parse.relations[child] in SUBJECT_RELATIONS]
    if not subjects or not {"aux", "cop"}.isdisjoint(front_relations.values()):
        return None
    return _MainVerb(predicate_start, verb + 1, parse.confidence[root] * parse.confidence[subjects[-1]])


def _find_first_verb(
    words: Sequence[str], upos: Sequence[str], probabilities: Sequence[float]
) -> _MainVerb | None:
    """Return the first verb if it is surely one, and no infinitive; a capital belongs to a name."""
    verb_index = next((index for index, tag in enumerate(upos) if tag in _VERB_TAGS), 0)
    is_surely_verb = probabilities[verb_index] >= _MIN_VERB_PROBABILITY and words[verb_index].islower()
    if not verb_index or not is_surely_verb or upos[verb_index - 1] == "PART":
        return None
    return _MainVerb(verb_index, verb_index + 1, probabilities[verb_index])


def _is_complete_assertion(
    words: Sequence[str], upos: Sequence[str], verb: _MainVerb, parse: "Parse | None"
) -> bool:
    """Return whether a sentence is one assertion that is understood without the sentences before it."""
    front_indexes, rest_indexes = range(verb.start), range(verb.end, len(words))
    if len(front_indexes) > MAX_SUBJECT_LENGTH or "?" in words or "\n" in "".join(words):
        return False
    if not (QUOTATION_MARKS | _CLAUSE_MARKS).isdisjoint(words[index] for index in front_indexes):
        return False
    if any(upos[index] in ("SCONJ", "PRON") for index in front_indexes):
        return False
    has_content = any(upos[index] in _CONTENT_TAGS for index in rest_indexes)
    return (
        has_content
        and any(upos[index] in _NAMING_TAGS for index in front_indexes)
        and verb.confidence >= MIN_PARSE_CONFIDENCE
        and not any(
            _is_pronoun_for_word_outside(words, upos, index, parse) for index in range(verb.start, len(words))
        )
    )


def _is_pronoun_for_word_outside(
    words: Sequence[str], upos: Sequence[str], index: int, parse: "Parse | None"
) -> bool:
    """Return whether a word is a pronoun that is neither reflexive nor relative."""
    if upos[index] != "PRON":
        return False
    if parse is not None and parse.relations[index].startswith("expl"):
        return False
    previous_word_index = index - 1 - (upos[index - 1] == "ADP")
    is_relative = words[previous_word_index] == "," or (
        parse is not None and _is_relative_pronoun(parse, index)
    )
    return not is_relative and words[index].lower() != _REFLEXIVE_PRONOUN


def _is_relative_pronoun(parse: "Parse", pronoun_index: WordIndex) -> bool:
    """Return whether a pronoun is the first word of a clause that modifies a noun before it."""
    head = parse.heads[pronoun_index]
    is_first_of_clause = all(
        child >= pronoun_index for child, child_head in enumerate(parse.heads) if child_head == head
    )
    return (
        parse.relations[head].startswith("acl") and parse.heads[head] < pronoun_index and is_first_of_clause
    )


def _build_phrases(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    sentence: "TaggedSentence",
    verb: _MainVerb,
) -> Iterator[FoundPhrase]:
    """Yield the statement for each name before the verb, else for those after it in the same clause."""
    words, starts, ends = sentence.read_words.words, sentence.starts, sentence.ends
    comma_index = next(
        (index for index in range(verb.end, len(words)) if words[index] == ","), len(words) - 1
    )
    front_range = (starts[0], ends[verb.start - 1])
    entity_indexes = _list_entities_between(entities, *front_range) or _list_entities_between(
        entities, starts[verb.end], ends[comma_index - 1]
    )
    front_text = _collapse_whitespace(chunk.text[slice(*front_range)]).rstrip(",")
    predicate = _collapse_whitespace(chunk.text[starts[verb.start] : ends[verb.end - 1]])
    rest_text = _collapse_whitespace(chunk.text[starts[verb.end] : ends[-2]])
    if not 0 < len(rest_text) <= MAX_VALUE:
        return
    quote = Surface(chunk.text[starts[0] : ends[-1]], starts[0], ends[-1])
    certainty = estimate_certainty(verb.confidence)
    for entity_index in entity_indexes[:MAX_NODES]:
        is_name_alone = any(
            (surface.start, surface.end) == front_range for surface in entities[entity_index].surfaces
        )
        statement = FoundAttribute(
            predicate, rest_text, quote, confidence=certainty, subject="" if is_name_alone else front_text
        )
        yield FoundPhrase(entity_index, statement, None)


def _list_entities_between(entities: Sequence[FoundEntity], start: int, end: int) -> list[EntityIndex]:
    """Return the entities that a range of the text names, in the order of their first mention in it."""
    first_mentions = (
        (
            min((surface.start for surface in entity.surfaces if start <= surface.start < end), default=-1),
            index,
        )
        for index, entity in enumerate(entities)
    )
    return [index for offset, index in sorted(first_mentions) if offset >= 0]


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())

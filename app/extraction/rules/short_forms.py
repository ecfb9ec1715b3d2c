"""The first word of a name of several words in its place, within one document: "Larkspur" for "Larkspur
Robotics".
"""

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

from app.extraction.rules.english.grammar import ARTICLES, BE
from app.extraction.rules.english.lexicon import (
    COMPANIES,
    HONORIFICS,
    KIND_OF,
    KIND_OF_HEAD,
    LEGAL_TAILS,
    PLACES,
    TECHNOLOGIES,
)
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.name_kinds import decide_kind
from app.extraction.rules.names.named_entities import NamedEntity, WordUse, merge_short_name
from app.extraction.rules.names.offices import is_first_name
from app.extraction.rules.names.spans import Span
from app.extraction.rules.pronouns.antecedents import PERSONAL_PRONOUNS
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.syntax import MAX_SENTENCE_LENGTH, NAME_PLACEHOLDER
from app.extraction.rules.tokens import word_at

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse, Pipeline

_MIN_LETTERS = 3
"""Minimum number of letters of a short form."""
_DESCRIBING_RELATIONS = frozenset(("appos", "flat", "compound", "nmod"))
"""Relations of a name to a noun that says what it is, or that is a part of it."""
_RELATIONS_BEFORE_NOUN = frozenset(("det", "compound", "nmod:poss", "nummod"))
"""Relations of words in front of a noun: before a name they distinguish it from others."""
_COMPLEMENT_RELATIONS = frozenset(("obj", "iobj", "ccomp", "xcomp"))
_MAX_PARSED_USES = 8
"""Maximum number of sentences that are parsed for one name."""


def record_name_uses(
    sentence: Sentence,
    spans: Sequence[Span],
    entities: Sequence[NamedEntity | None],
    earlier_entities: Sequence[NamedEntity],
) -> None:
    """Record how a sentence uses its names: what shows that a single word is not a short form, and titles of
    people.

    `earlier_entities` are the entities of the previous sentence.
    """
    lower_words = sentence.lower
    known_entities = [entity for entity in entities if entity is not None]
    has_pronoun = not PERSONAL_PRONOUNS.isdisjoint(lower_words)
    if has_pronoun and len(earlier_entities) == 1 and lower_words[0] in PERSONAL_PRONOUNS:
        earlier_entities[0].is_used_otherwise = True
    has_person = any(decide_kind(entity.votes)[0] == "Person" for entity in known_entities)
    words_of_longer_names = {
        word for entity in known_entities if len(entity.words) > 1 for word in entity.words
    }
    may_mean_person = has_pronoun and not has_person
    for span, entity in zip(spans, entities, strict=True):
        if entity is None:
            continue
        if span.last - span.first > 1:
            title = word_at(sentence.words, span.first - 1)
            if title[:1].isupper():
                entity.titles.add(title.lower().rstrip("."))
            continue
        if (
            len(entity.word_uses) < _MAX_PARSED_USES
            and not sentence.is_outside_prose
            and len(lower_words) <= MAX_SENTENCE_LENGTH
        ):
            entity.word_uses.append(WordUse(sentence, span.first))
        entity.is_used_otherwise |= (
            may_mean_person
            or entity.key in words_of_longer_names
            or _is_introduced_or_qualified(lower_words, span)
        )


def _is_introduced_or_qualified(lower_words: Sequence[str], span: Span) -> bool:
    """Return whether a name is said to be something ("Larkspur is a flower"), has an article, or is the place
    of an office ("the mayor of Tarnov").
    """
    next_words = lower_words[span.last : span.last + 2]
    is_introduced = len(next_words) > 1 and next_words[0] in BE | {","} and next_words[1] in ARTICLES
    word_before = word_at(lower_words, span.first - 1)
    is_of_office = word_before == "of" and word_at(lower_words, span.first - 2) in HONORIFICS
    return is_introduced or is_of_office or word_before in ARTICLES


def merge_short_forms_into_longer_names(
    entities: Iterable[NamedEntity], lower_words: Set[str], pipeline: "Pipeline | None"
) -> None:
    """Make a single word another name of the only name of several words that begins with it, in this document
    only.

    The longer name has to come first, and to be neither a person, place, event, document or product nor "the
    museum" or "the college" of something: these are named after others. The word has to do something in a
    sentence, as the pipeline parses it. It must be no frequent word or known name, be never written in small
    letters, and occur in no other longer name; it stands beside the longer name in no sentence, has no
    article, is not said to be something, and may be no person.
    """
    if pipeline is None or not pipeline.has_parser:
        return
    entity_list = list(entities)
    longer_entities_by_word: dict[str, dict[int, NamedEntity]] = {}
    for entity in entity_list:
        for word in entity.words if len(entity.words) > 1 else ():
            longer_entities_by_word.setdefault(word, {})[id(entity.root())] = entity
    for entity in entity_list:
        candidates = list(longer_entities_by_word.get(entity.key, {}).values())
        if len(candidates) != 1 or not _may_word_be_short_form(entity, lower_words):
            continue
        full_entity = candidates[0]
        is_short = _does_name_begin_with(full_entity, entity.key) and _may_name_be_shortened_to(
            full_entity, entity
        )
        is_known = pipeline.knows_word(entity.key)
        if (
            is_short
            and not is_known
            and _is_used_like_short_name(entity, pipeline, is_actor=full_entity.words[0] == entity.key)
        ):
            merge_short_name(entity, full_entity.root())


def _is_used_like_short_name(entity: NamedEntity, pipeline: "Pipeline", *, is_actor: bool) -> bool:
    """Return whether no sentence describes the name ("the assistant Lyra", "the church of Osterby", "Lyra is
    also the name of a star"), and, if it `is_actor`, one has it as the subject of a verb with an object or
    complement.
    """
    is_subject = not is_actor
    for sentence, index in entity.word_uses:
        words = [*sentence.words[:index], NAME_PLACEHOLDER, *sentence.words[index + 1 :]]
        (parse,) = pipeline.parse([words])
        head, relation = parse.heads[index], parse.relations[index]
        is_described = relation in _DESCRIBING_RELATIONS | {"nsubj"} and parse.upos[head] in ("NOUN", "PROPN")
        if is_described or not _RELATIONS_BEFORE_NOUN.isdisjoint(_list_relations_below(parse, index)):
            return False
        is_agent = relation == "nsubj" and parse.upos[head] == "VERB" and parse.lemmas[head] != "have"
        is_subject |= is_agent and not _COMPLEMENT_RELATIONS.isdisjoint(_list_relations_below(parse, head))
    return is_subject


def _list_relations_below(parse: "Parse", word: WordIndex) -> set[str]:
    """Return the relations of a word's dependents."""
    return {parse.relations[child] for child, head in enumerate(parse.heads) if head == word != child}


def _may_word_be_short_form(entity: NamedEntity, lower_words: Set[str]) -> bool:
    word = entity.key
    is_ordinary = word in lower_words or word in KIND_OF or word in KIND_OF_HEAD
    is_known = word in PLACES or word in COMPANIES or word in TECHNOLOGIES or is_first_name(word)
    is_word = entity.words == [word] and len(word) >= _MIN_LETTERS and word.isalpha()
    return is_word and entity.is_root and not (entity.is_used_otherwise or is_ordinary or is_known)


def _does_name_begin_with(full_entity: NamedEntity, word: str) -> bool:
    """Return whether a name begins with a word, or with a word for its kind and then this one: "Project
    Nightjar".
    """
    last_word = full_entity.words[-1].rstrip(".")
    is_described = KIND_OF.get(last_word) == "Organization" and last_word not in LEGAL_TAILS
    return (full_entity.words[0] == word and not is_described) or (
        full_entity.words == [full_entity.words[0], word] and full_entity.words[0] in KIND_OF
    )


def _may_name_be_shortened_to(full_entity: NamedEntity, short_entity: NamedEntity) -> bool:
    """Return whether a name comes before its possible short form and both can be of one kind."""
    kind, is_certain = decide_kind(full_entity.root().votes)
    short_kind = decide_kind(short_entity.votes)
    is_group = not is_certain or kind in ("Organization", "Project")
    has_compatible_kind = short_kind in (("Concept", False), (kind, True)) or (
        not is_certain and short_kind == ("Organization", True)
    )
    other_kinds = {"Person", "Location"} & short_entity.votes.keys()
    return (
        full_entity.is_in_prose
        and full_entity.mention_order < short_entity.mention_order
        and is_group
        and has_compatible_kind
        and not other_kinds
    )

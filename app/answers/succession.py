"""Answer who held an office or a thing before or after somebody, by the claims' times; pure.

"Who was the CEO before Mira Sand?" is not answered by the sentence that Mira Sand is the CEO, though it has
every word of the question. The answer is the holder whose claim ended last before hers did, or whom she
replaced by a claim; without such claims, a sentence that names nobody else is no answer.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import NamedTuple

from app.answers.clause_support import ParsedSentence, parse_question
from app.answers.quotes import Quotes, SourceQuote
from app.answers.shapes import Context, Source, SpanKind
from app.answers.text_matching import fold_to_spaced_lower_case
from app.documents.language import guess_language
from app.domain.office_succession import RoleStatement, may_have_succeeded
from app.domain.relation_phrases import list_relations_stated_by
from app.domain.relation_types import REPLACES, SINGLE_SOURCE
from app.graph.name_forms import is_interrogative
from app.graph.questions import guess_relation_types
from app.graph.shapes import Anchor
from app.graph.validity import FOREVER
from app.retrieval.shapes import RetrievalResult


class _Side(Enum):
    """The side of somebody's time on which the question looks for another holder."""

    BEFORE = "before"
    AFTER = "after"


_SIDE_BY_PREPOSITION = {"before": _Side.BEFORE, "after": _Side.AFTER}
_SIDE_BY_NOUN = {"predecessor": _Side.BEFORE, "successor": _Side.AFTER}
_SIDE_BY_VERB = {"precede": _Side.BEFORE, "succeed": _Side.AFTER, "replace": _Side.AFTER}


@dataclass(frozen=True, slots=True)
class AskedSuccession:
    """The somebody before or after whom the question asks for a holder."""

    side: _Side
    anchor: Anchor


class _Tenure(NamedTuple):
    """A claim that somebody holds something, as a source states it: `holder` is the `relation` of `held`."""

    holder: str
    relation: str
    held: str
    quote: str
    source: Source
    begins_at: datetime | None
    ends_at: datetime


def find_asked_succession(retrieval: RetrievalResult) -> AskedSuccession | None:
    """Return whose predecessor or successor the question asks for; None if it asks for neither, or if the
    space does not know the name.
    """
    question = retrieval.query.text
    parsed_question = parse_question(question, "en") if guess_language(question) == "en" else None
    if parsed_question is None or not any(map(is_interrogative, parsed_question.words)):
        return None
    for anchor in retrieval.anchors:
        start = question.find(anchor.matched)
        name_indexes = [
            index
            for index, (word_start, word_end) in enumerate(parsed_question.ranges)
            if start <= word_start and word_end <= start + len(anchor.matched)
        ]
        side = _find_side(parsed_question, name_indexes) if start >= 0 else None
        if side is not None:
            return AskedSuccession(side, anchor)
    return None


def _find_side(question: ParsedSentence, name_indexes: Sequence[int]) -> _Side | None:
    """Return the side by the preposition before the name, or by the noun or verb whose complement it is."""
    parse = question.parse
    for index in name_indexes:
        head_index = parse.heads[index]
        prepositions = question.list_prepositions(index)
        for preposition in prepositions & _SIDE_BY_PREPOSITION.keys():
            return _SIDE_BY_PREPOSITION[preposition]
        if head_index in name_indexes or head_index == index:
            continue
        lemma = parse.lemmas[head_index].casefold()
        role = question.get_syntactic_role(index)
        if lemma in _SIDE_BY_NOUN and role.startswith("nmod"):
            return _SIDE_BY_NOUN[lemma]
        if lemma in _SIDE_BY_VERB and role == "object":
            return _SIDE_BY_VERB[lemma]
    return None


def choose_quotes_of_succession(
    asked: AskedSuccession, retrieval: RetrievalResult, context: Context, quotes: Quotes
) -> Quotes:
    """Return the quote of the claim that answers; else `quotes` without the sentences of claims that do not:
    those of the asked one, and of others who held the same at another time.
    """
    hinted_relations = guess_relation_types(retrieval.query.text)
    relations = frozenset(
        (*SINGLE_SOURCE, REPLACES.name, *hinted_relations, *list_relations_stated_by(hinted_relations))
    )
    tenures = [
        *_list_standing_tenures(retrieval, context, relations),
        *_list_ended_tenures(context, relations),
    ]
    name = asked.anchor.node.canonical_name
    answers = _list_answers_by_replacement(asked.side, name, tenures) or _list_answers_by_time(
        asked.side, name, tenures
    )
    if answers:
        holder = answers[0].holder
        stated_quotes = dict.fromkeys(SourceQuote(tenure.source, tenure.quote) for tenure in answers)
        span = (SpanKind.NAME, holder) if holder in answers[0].quote else None
        return Quotes(tuple(stated_quotes), coverage=1.0, asked_cell=span)
    held_by_asked = {(tenure.relation, tenure.held) for tenure in tenures if tenure.holder == name}
    dated_tenures = [tenure for tenure in tenures if (tenure.relation, tenure.held) in held_by_asked]
    known_names = [name, asked.anchor.matched]
    known_names += [part for tenure in dated_tenures for part in (tenure.holder, tenure.held)]
    other_quotes = tuple(
        source_quote
        for source_quote in quotes.quotes
        if not any(tenure.quote in source_quote.text for tenure in dated_tenures)
        or _names_somebody_else(source_quote.text, retrieval, known_names)
    )
    if len(other_quotes) == len(quotes.quotes):
        return quotes
    return replace(
        quotes,
        quotes=other_quotes,
        reason=f"Nothing that was found tells who came {asked.side.value} “{name}”.",
    )


def _names_somebody_else(text: str, retrieval: RetrievalResult, known_names: Iterable[str]) -> bool:
    """Return whether a sentence names a node besides those whose claims do not answer."""
    folded_text = fold_to_spaced_lower_case(text)
    for name in known_names:
        folded_text = folded_text.replace(fold_to_spaced_lower_case(name).strip(), "")
    return any(
        fold_to_spaced_lower_case(node.canonical_name).strip() in folded_text for node in retrieval.nodes
    )


def _list_standing_tenures(
    retrieval: RetrievalResult, context: Context, relations: Collection[str]
) -> list[_Tenure]:
    name_by_node_id = {node.id: node.canonical_name for node in retrieval.nodes}
    return [
        _Tenure(
            name_by_node_id.get(edge.from_node_id, ""),
            edge.relation_type,
            name_by_node_id.get(edge.to_node_id, ""),
            edge.quote,
            source,
            edge.valid_from,
            edge.end or FOREVER,
        )
        for edge in (fact.edge for fact in retrieval.facts)
        if edge.quote and edge.evidence is not None and edge.relation_type in relations
        for source in context.sources
        if source.chunk_id == edge.evidence.chunk_id and edge.quote in source.text
    ]


def _list_ended_tenures(context: Context, relations: Collection[str]) -> list[_Tenure]:
    source_by_number = {source.number: source for source in context.sources}
    return [
        _Tenure(
            ended.from_name,
            ended.relation_type,
            ended.to_name,
            ended.quote,
            source_by_number[ended.number],
            None,
            datetime.fromisoformat(ended.until).replace(tzinfo=UTC),
        )
        for ended in context.ended_quotes
        if ended.relation_type in relations and not ended.is_ended_by_person
    ]


def _list_answers_by_replacement(side: _Side, name: str, tenures: Sequence[_Tenure]) -> list[_Tenure]:
    """Return the claims that the asked one replaced somebody, or was replaced; the somebody as the holder."""
    replacements = [tenure for tenure in tenures if tenure.relation == REPLACES.name]
    if side is _Side.BEFORE:
        return [tenure._replace(holder=tenure.held) for tenure in replacements if tenure.holder == name]
    return [tenure for tenure in replacements if tenure.held == name]


def _list_answers_by_time(side: _Side, name: str, tenures: Sequence[_Tenure]) -> list[_Tenure]:
    """Return the claims of the nearest holder before or after the asked one, of the same thing and office."""
    direction = -1 if side is _Side.BEFORE else 1
    answers: list[tuple[float, _Tenure]] = []
    for own in tenures:
        if own.holder != name or own.relation == REPLACES.name:
            continue
        for other in tenures:
            if (other.relation, other.held) != (own.relation, own.held) or other.holder == name:
                continue
            distance = direction * _compare_times(other, own)
            later, earlier = (own, other) if side is _Side.BEFORE else (other, own)
            if distance > 0 and may_have_succeeded(
                own.relation, RoleStatement(later.quote), RoleStatement(earlier.quote)
            ):
                answers.append((distance, other))
    nearest = min((distance for distance, _ in answers), default=0.0)
    holders = {answer.holder for distance, answer in answers if distance == nearest}
    return [answer for _, answer in answers if answer.holder in holders] if len(holders) == 1 else []


def _compare_times(tenure: _Tenure, other: _Tenure) -> float:
    """Return how much later a tenure is, in seconds: by its end, or by its beginning if both still hold. 0 if
    that is not known.
    """
    if tenure.ends_at != other.ends_at:
        return (tenure.ends_at - other.ends_at).total_seconds()
    if tenure.begins_at is None or other.begins_at is None:
        return 0.0
    return (tenure.begins_at - other.begins_at).total_seconds()

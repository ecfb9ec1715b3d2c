"""Second pass by rules: extract the relations that the sentences of one chunk state between its entities."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.domain.node_types import PEOPLE, PLACE_TYPES
from app.domain.relation_types import (
    ACTED_IN,
    CONTAINMENT_RELATIONS,
    CREATED,
    EXISTS,
    RELATED_TO,
    RELATION_TYPE_BY_NAME,
    RELATION_TYPES,
    WORKS_FOR,
)
from app.extraction.reader.languages import load_parser
from app.extraction.rules.claims.brackets import Aside, claim_places_of_birth_and_death, remove_brackets
from app.extraction.rules.claims.changes import KnownEmployers, claim_end_of_existence, claim_stated_change
from app.extraction.rules.claims.clause_limits import (
    can_words_between_relate,
    does_nationality_describe_name,
    is_about_other_person,
    is_surely_joined,
)
from app.extraction.rules.claims.clauses import claim_by_clauses
from app.extraction.rules.claims.cut_names import NamesOfSentence
from app.extraction.rules.claims.descriptions import (
    claim_birthplace_at_opening,
    claim_nationality,
    is_adjective_phrase_of_origin,
    is_name_within_description,
    is_nationality,
)
from app.extraction.rules.claims.governors import is_said_to_hold
from app.extraction.rules.claims.kin import replace_family_claims_by_kinship
from app.extraction.rules.claims.negation import find_refuted_words
from app.extraction.rules.claims.noun_heads import (
    does_clause_describe_noun_of_name,
    does_clause_relate_names_themselves,
    does_nationality_modify_name,
    find_kind_told_by_noun_after_name,
)
from app.extraction.rules.claims.nouns import may_place_contain_other
from app.extraction.rules.claims.other_referents import tells_of_something_else
from app.extraction.rules.claims.scope import (
    does_opening_date_concern_ends,
    does_verb_separate_ends,
    is_denial_about_ends,
)
from app.extraction.rules.claims.suppositions import Retraction, find_retraction
from app.extraction.rules.claims.time_spans import Span, find_time_spans
from app.extraction.rules.claims.units import Claim, Unit
from app.extraction.rules.claims.unread_words import is_part_of_name_or_no_name, leaves_words_unread
from app.extraction.rules.english.grammar import (
    DOUBTED_SPEECH,
    DOUBTFUL_OPENINGS,
    HEDGES,
    RUMOURS,
    WORDS_OF_UNCERTAINTY,
)
from app.extraction.rules.english.nations import NATIONALITY_RELATION_BY_KIND
from app.extraction.rules.english.verbless_pairs import IMPLIED_RELATIONS
from app.extraction.rules.english.words.change_forms import SIGNS_OF_END
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.line_layout import SENTENCE_END
from app.extraction.rules.pronouns.references import read_sentences_with_units
from app.extraction.rules.quotations import find_quotations
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.shortened import read_trees
from app.extraction.rules.syntax import ENGLISH, Tree
from app.extraction.rules.tokens import word_at
from app.extraction.rules.unpaired_brackets import find_range_of_unpaired_bracket
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation, Surface, Vocabulary
from app.graph.validity import DatePoint, Polarity, Precision

_RELATIONS_OF_PLACES = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.spreads_to_larger_places
)
_RELATIONS_BY_ADDRESS = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.is_derived_from_address
)
_RELATIONS_OF_PLACE = frozenset(
    relation_type.name
    for relation_type in RELATION_TYPES
    if relation_type.ends.targets is not None and relation_type.ends.targets <= PLACE_TYPES
)
_RELATIONS_OF_CONTAINED_PLACES = _RELATIONS_OF_PLACE & frozenset(CONTAINMENT_RELATIONS)
_RELATIONS_OF_NATIONALITY = frozenset(NATIONALITY_RELATION_BY_KIND.values())
_TIMELESS_RELATIONS = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.timeless
)
_RELATIONS_OF_PHRASES = _RELATIONS_BY_ADDRESS | _RELATIONS_OF_NATIONALITY
"""Relations that an address or an adjective states without a verb."""
_MAX_SENTENCE_LENGTH = 300
_CONDITIONAL_WORDS = frozenset(("if", "whether", "unless"))
_CLOSING_QUOTES = frozenset(("”", '"', "’", "»"))
# Denials about a version of a thing do not apply to the thing.
_RELATIONS_OUTLIVING_VERSIONS = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.outlives_denied_version
)
_WORDS_AFTER_QUANTITY = frozenset(("days", "weeks", "months", "years", "hours", "times", "of", "%"))
_VERSION = re.compile(r"v?\d{1,3}(?:\.\w+)*\+?|v\d\w*")
# Maximum number of words after the retracted words of a correction.
_MAX_WORDS_AFTER_RETRACTION = 3
# Maximum distance of the verb of speech after a quotation.
_MAX_WORDS_TO_SPEECH_VERB = 4


def is_question_condition_or_rumour(sentence: Sentence, first_index: int) -> bool:
    """Return whether a sentence is a question, a condition or a rumour; `first_index` is the index of its
    first name.
    """
    lower_words, last_word = sentence.lower, sentence.words[-1]
    if last_word == "?" or (len(sentence.words) > 1 and last_word in "\"'”’)" and sentence.words[-2] == "?"):
        return True
    # Case matters: "Dangerous Rumors" is a film.
    if (first_index > 0 and lower_words[0] in DOUBTFUL_OPENINGS) or not RUMOURS.isdisjoint(sentence.words):
        return True
    if lower_words[0] == "had" and not HEDGES.isdisjoint(lower_words):
        return True  # "Had Acme bought Zeta, it would": Acme did not
    # "It is rumoured that", "nobody knows whether": applies to everything after it.
    leading_words = _list_leading_words(lower_words, first_index)
    return not _CONDITIONAL_WORDS.isdisjoint(leading_words) or not WORDS_OF_UNCERTAINTY.isdisjoint(
        leading_words
    )


def is_sentence_doubtful(sentence: Sentence, first_index: int) -> bool:
    """Return whether a sentence asserts nothing itself: it is a supposition, or reports a belief."""
    lower_words = sentence.lower
    if is_question_condition_or_rumour(sentence, first_index):
        return True
    return any(
        mark in _CLOSING_QUOTES
        and not DOUBTED_SPEECH.isdisjoint(lower_words[index + 1 : index + _MAX_WORDS_TO_SPEECH_VERB])
        for index, mark in enumerate(lower_words)
        if index > first_index
    )


def _list_leading_words(lower_words: list[str], first_index: int) -> list[str]:
    """Return the words before the first name, or before a later "that" among the first six words."""
    return lower_words[: max(first_index, lower_words.index("that") if "that" in lower_words[:6] else 0)]


class _TripleKey(NamedTuple):
    """The ends, the relation, the polarity, and the date until which it held, if it has ended."""

    source: EntityIndex
    target: EntityIndex
    relation: str
    polarity: Polarity
    end_date: DatePoint | None

    @property
    def ends(self) -> tuple[int, int]:
        """Return the source and the target."""
        return self.source, self.target


def _build_key(claim: Claim) -> _TripleKey:
    return _TripleKey(claim.source, claim.target, claim.relation, claim.polarity, claim.end_date)


class _StatedTriple(NamedTuple):
    """A triple as its chunk states it: the most confident sentence, the number of sentences, the start date,
    and whether it takes the place of an earlier one.
    """

    confidence: float
    quote: str
    sentence_count: int
    start_date: DatePoint | None
    replaces_earlier: bool

    def merge_with_earlier(self, earlier_statement: "_StatedTriple | None") -> "_StatedTriple":
        """Return the triple combined with the chunk's earlier statements of it."""
        if earlier_statement is None:
            return self
        surest_statement = self if self.confidence > earlier_statement.confidence else earlier_statement
        start_date = surest_statement.start_date or earlier_statement.start_date or self.start_date
        return surest_statement._replace(
            sentence_count=earlier_statement.sentence_count + self.sentence_count, start_date=start_date
        )


def _build_stated_triple(claim: Claim, quote: str) -> _StatedTriple:
    return _StatedTriple(claim.confidence, quote, 1, claim.start_date, claim.replaces_earlier)


class _QuotedSentence(NamedTuple):
    """The quote of a sentence, and the entities that the sentence names."""

    start: int
    end: int
    named_entities: frozenset[EntityIndex]


class _KeyedClaim(NamedTuple):
    """A claim with the key of its triple."""

    key: _TripleKey
    claim: Claim


class _ReadSentence(NamedTuple):
    """A sentence with its names and its claims as its words have them, before its tree is read.

    `previous_sentence` is the one before it. A sentence that `retracts` something is claimed without a tree.
    """

    sentence: Sentence
    units: list[Unit]
    quote: _QuotedSentence
    previous_sentence: _QuotedSentence
    claims: list[_KeyedClaim]
    retracts: bool


def _list_entities_of_units(units: Sequence[Unit]) -> frozenset[int]:
    return frozenset(entity for unit in units if not unit.is_reference for entity in unit.entities)


def extract_relations(
    chunk: ChunkText, entities: Sequence[FoundEntity], vocabulary: Vocabulary
) -> tuple[FoundRelation, ...]:
    """Return the relations that the chunk's sentences state between its own entities, in text order.

    Each quote is the whole sentence, character for character, without the mark of a list item. The previous
    sentence is included if only that one names the entities ("They divorced in 2018."). Several sentences of
    one triple give one relation, quoted from the most confident one.
    """
    if not chunk.is_wanted or not entities:
        return ()
    relations: dict[_TripleKey, _StatedTriple] = {}
    employers = KnownEmployers()
    sentences = list(_read_sentences(chunk, entities, vocabulary))
    trees = _read_trees_of_claims(chunk.text, sentences)
    for index, read_sentence in enumerate(sentences):
        sentence, units, quote, previous_quote, claims, retracts = read_sentence
        quoted_text = chunk.text[quote.start : quote.end]
        if retracts:
            for key, claim in claims:
                relations[key] = _build_stated_triple(claim, quoted_text).merge_with_earlier(
                    relations.get(key)
                )
            continue
        claims = _select_asserted_claims(chunk.text, read_sentence, trees.get(index))
        for key, claim in claims:
            quote_start = quote.start
            is_named_before = (
                quote.named_entities.isdisjoint(key.ends)
                and not previous_quote.named_entities.isdisjoint(key.ends)
                and chunk.text[previous_quote.end : quote_start].isspace()
            )
            if is_named_before:
                quote_start = previous_quote.start
            stated_triple = _build_stated_triple(claim, chunk.text[quote_start : quote.end])
            relations[key] = stated_triple.merge_with_earlier(relations.get(key))
        for claim, claim_quote in employers.claim_for_unnamed_firms(
            chunk.text,
            sentence,
            units,
            Surface(quoted_text, quote.start, quote.end),
            [claim for _, claim in claims],
        ):
            if claim.relation in vocabulary.relation_types and claim.confidence >= vocabulary.min_confidence:
                _add_claim_of_firm(relations, claim, claim_quote)
    return _remove_vague_relations(relations)


def _read_sentences(
    chunk: ChunkText, entities: Sequence[FoundEntity], vocabulary: Vocabulary
) -> Iterator[_ReadSentence]:
    """Yield the sentences that may state a relation, in order, with their claims."""
    current_quote = _QuotedSentence(0, 0, frozenset())
    for sentence, units, _, quote in read_sentences_with_units(chunk, entities):
        previous_quote, current_quote = (
            current_quote,
            _QuotedSentence(quote.start, quote.end, _list_entities_of_units(units)),
        )
        # Table rows, list entries and addresses have no verb, so they state no relation.
        if sentence.is_outside_prose or not units:
            continue
        claims: list[_KeyedClaim] = []
        correction = find_retraction(sentence.lower)
        if correction is not None:
            claims += _claim_corrected_sentence(chunk.text, sentence, units, correction, vocabulary)
        elif is_sentence_doubtful(sentence, units[0].first):
            continue
        elif sum(len(unit.entities) for unit in units) > 1 or not SIGNS_OF_END.isdisjoint(sentence.lower):
            claims += map(
                _KeyedClaim._make, _claim_allowed_triples(chunk.text, sentence, units, vocabulary).items()
            )
        yield _ReadSentence(sentence, units, current_quote, previous_quote, claims, correction is not None)


def _add_claim_of_firm(relations: dict[_TripleKey, _StatedTriple], claim: Claim, quote: str) -> None:
    """Add a claim about a firm named before; a claim that it ends held until then, and is not kept beside
    it.
    """
    key = _build_key(claim)
    earlier_claim = relations.pop(key._replace(polarity=Polarity.ASSERTED, end_date=None), None)
    end_date = claim.end_date or claim.start_date
    if earlier_claim is not None and end_date is not None:
        relations[key._replace(polarity=Polarity.ASSERTED, end_date=end_date)] = earlier_claim._replace(
            quote=quote
        )
    if claim.polarity is Polarity.DENIED or earlier_claim is None:
        relations[key] = _build_stated_triple(claim, quote).merge_with_earlier(relations.get(key))


def _claim_corrected_sentence(
    text: str, sentence: Sentence, units: Sequence[Unit], correction: Retraction, vocabulary: Vocabulary
) -> Iterator[_KeyedClaim]:
    """Yield the claims of a sentence with a retraction: denials of the retracted words, and the claims after
    them.
    """
    inside_units = [unit for unit in units if correction.first <= unit.first < correction.last]
    outside_units = [unit for unit in units if unit not in inside_units]
    units_after = [unit for unit in outside_units if unit.first >= correction.last]
    if len(units_after) > 1:
        for key, claim in _claim_allowed_triples(text, sentence, units_after, vocabulary).items():
            yield _KeyedClaim(key, claim)
    if not correction.is_plain or len(inside_units) != 2:
        return
    left_unit, right_unit = inside_units
    # "Wrongly said that Ann Lee, CEO of Acme, is 45" retracts neither her post nor her name.
    words_between = sentence.lower[left_unit.last : right_unit.first]
    if "," in words_between or correction.last - right_unit.last > _MAX_WORDS_AFTER_RETRACTION:
        return
    for key, claim in _claim_allowed_triples(text, sentence, inside_units, vocabulary).items():
        if claim.polarity is Polarity.ASSERTED:
            yield _KeyedClaim(
                key._replace(polarity=Polarity.DENIED, end_date=None),
                replace(claim, polarity=Polarity.DENIED, start_date=None, end_date=None),
            )


def _claim_allowed_triples(
    text: str, sentence: Sentence, units: list[Unit], vocabulary: Vocabulary
) -> dict[_TripleKey, Claim]:
    """Return the triples of one sentence that the vocabulary allows, each with its most confident claim."""
    claims: dict[_TripleKey, Claim] = {}
    adjective_units = [unit for unit in units if is_adjective_phrase_of_origin(sentence, unit)]
    name_units = [
        unit
        for unit in units
        if not (is_adjective_phrase_of_origin(sentence, unit) or is_name_within_description(sentence, unit))
    ]
    for claim in _read_claims_of_sentence(text, sentence, name_units, adjective_units):
        is_allowed = claim.relation in vocabulary.relation_types or claim.relation == EXISTS
        if not is_allowed or claim.confidence < vocabulary.min_confidence:
            continue
        if claim.polarity is Polarity.DENIED and _does_denial_concern_version(sentence, name_units, claim):
            continue
        if claim.source != claim.target or claim.relation == EXISTS:
            key = _build_key(claim)
            if key not in claims or claim.confidence > claims[key].confidence:
                claims[key] = claim
    return _remove_implied_denials(claims)


def _read_trees_of_claims(text: str, sentences: Sequence[_ReadSentence]) -> dict[int, Tree]:
    """Return the trees of the sentences with claims by their index; none of a retraction, of a refutation,
    which is a denial by the sentence itself, or of a sentence of over 300 words.
    """
    sentence_indexes = [
        index
        for index, read_sentence in enumerate(sentences)
        if read_sentence.claims
        and not read_sentence.retracts
        and len(read_sentence.sentence.words) <= _MAX_SENTENCE_LENGTH
        and not find_refuted_words(read_sentence.sentence)
    ]
    pipeline = load_parser(ENGLISH) if sentence_indexes else None
    if pipeline is None:
        return {}
    named_sentences = [(sentences[index].sentence, sentences[index].units) for index in sentence_indexes]
    return dict(
        zip(sentence_indexes, read_trees(text, named_sentences, find_quotations(text), pipeline), strict=True)
    )


def _select_asserted_claims(text: str, read_sentence: _ReadSentence, tree: Tree | None) -> list[_KeyedClaim]:
    """Return the claims that the sentence itself asserts, by its tree, outside the open side of an unpaired
    mark.

    Claims of a sentence of over 300 words do not hold: time and memory for its tree grow with their square.
    """
    sentence, units, claims = read_sentence.sentence, read_sentence.units, read_sentence.claims
    if not claims or len(sentence.words) > _MAX_SENTENCE_LENGTH:
        return []
    is_complete = SENTENCE_END.search(text, sentence.start, sentence.end) is not None
    open_range = find_range_of_unpaired_bracket(text, sentence.start, sentence.end)

    names = [unit for unit in units if not is_adjective_phrase_of_origin(sentence, unit)]
    names_of_sentence = NamesOfSentence(sentence, units)
    if not is_complete and names_of_sentence.is_heading():
        # In a headline any word has a capital: "Acme CEO Comments on Zeta Lawsuit". An address has no verb.
        claims = [keyed for keyed in claims if keyed.claim.relation in _RELATIONS_OF_PHRASES]

    def find_end_units(key: _TripleKey) -> _EndUnits | None:
        # "Unlike Acme, the French firm is in France": the adjective is no end of what verbs state.
        named_units = (
            None
            if key.relation in _RELATIONS_OF_NATIONALITY
            else _find_nearest_units(names, key.source, key.target)
        )
        return named_units or _find_nearest_units(units, key.source, key.target)

    def holds(key: _TripleKey, claim: Claim, end_units: _EndUnits | None) -> bool:
        if end_units is None:
            return True
        if claim.relation in _RELATIONS_OF_CONTAINED_PLACES and not _may_first_name_be_within_second(
            sentence, names, key.source, key.target
        ):
            return False
        if any(sentence.starts[unit.first] in open_range for unit in end_units):
            return False
        if any(map(names_of_sentence.is_part_of_longer_name, end_units)):
            return False
        if tree is None:
            return True
        is_location = claim.relation in _RELATIONS_OF_PLACE
        if any(is_part_of_name_or_no_name(tree, unit) for unit in end_units):
            return False
        if not is_surely_joined(tree, sentence, *end_units, is_complete=is_complete):
            return False
        return (
            _does_tree_let_words_relate_ends(tree, sentence, claim, end_units)
            and is_said_to_hold(tree, *end_units, is_denied=key.polarity is Polarity.DENIED)
            and not does_clause_describe_noun_of_name(tree, *end_units)
            and _are_kinds_by_nouns_allowed(tree, claim, end_units)
            and (key.polarity is Polarity.ASSERTED or is_denial_about_ends(tree, *end_units))
            # What ends may be a noun's: "cancelled its Tableau subscription".
            and (
                key.polarity is Polarity.DENIED
                or (
                    does_clause_relate_names_themselves(tree, *end_units, is_location=is_location)
                    and not leaves_words_unread(tree, *end_units, is_location=is_location)
                )
            )
            and not tells_of_something_else(tree, claim, *end_units)
        )

    return [
        _remove_dates_of_other_clauses(text, sentence, tree, keyed_claim, end_units)
        for keyed_claim in claims
        for end_units in (find_end_units(keyed_claim.key),)
        if holds(*keyed_claim, end_units)
    ]


_EndUnits = tuple[Unit, Unit]
"""The units of a claim's source and target, in the order of the text."""


def _remove_dates_of_other_clauses(
    text: str, sentence: Sentence, tree: Tree | None, keyed_claim: _KeyedClaim, end_units: _EndUnits | None
) -> _KeyedClaim:
    """Return an asserted claim without its dates if the tree attaches them to other clauses than its own."""
    key, claim = keyed_claim
    dates = {date for date in (claim.start_date, claim.end_date) if date is not None}
    if tree is None or end_units is None or not dates or claim.polarity is Polarity.DENIED:
        return keyed_claim
    date_words = [
        word
        for span in find_time_spans(text, sentence)
        if not dates.isdisjoint((span.start_date, span.end_date))
        for word in sentence.words[span.first : span.last]
        if any(map(str.isdigit, word))
    ]
    may_begin = claim.relation not in _TIMELESS_RELATIONS or does_verb_separate_ends(tree, *end_units)
    if may_begin and does_opening_date_concern_ends(tree, *end_units, date_words):
        return keyed_claim
    return _KeyedClaim(key._replace(end_date=None), replace(claim, start_date=None, end_date=None))


def _are_kinds_by_nouns_allowed(tree: Tree, claim: Claim, end_units: _EndUnits) -> bool:
    """Return whether a relation may have ends of the kinds that the nouns after their names tell: nobody is
    educated at "the Zarafshan mosque".
    """
    relation_type = RELATION_TYPE_BY_NAME.get(claim.relation)
    return relation_type is None or all(
        allowed_kinds is None or kind is None or kind in allowed_kinds
        for kind, allowed_kinds in zip(
            (find_kind_told_by_noun_after_name(tree, unit) for unit in end_units),
            (relation_type.ends.sources, relation_type.ends.targets),
            strict=True,
        )
    )


def _may_first_name_be_within_second(
    sentence: Sentence, names: Sequence[Unit], source: EntityIndex, target: EntityIndex
) -> bool:
    """Return whether what two names say lets the first be within the second: no country is in a town."""
    named_units = _find_nearest_units(names, source, target)
    return named_units is None or may_place_contain_other(sentence, named_units[1], named_units[0])


def _does_tree_let_words_relate_ends(
    tree: Tree, sentence: Sentence, claim: Claim, end_units: _EndUnits
) -> bool:
    """Return whether the tree lets an adjective or the words between two names relate them."""
    if claim.relation in _RELATIONS_OF_NATIONALITY and is_nationality(sentence, end_units[1]):
        return does_nationality_modify_name(tree, *end_units) and does_nationality_describe_name(
            tree, *end_units
        )
    if not claim.is_of_neighbors:
        return True
    return can_words_between_relate(tree, sentence, *end_units) and not is_about_other_person(
        tree, sentence, *end_units
    )


def _find_nearest_units(units: Sequence[Unit], source: EntityIndex, target: EntityIndex) -> _EndUnits | None:
    """Return the adjacent units of the two entities in a sentence, or None."""
    nearest_units: _EndUnits | None = None
    least_distance = 0
    last_source: Unit | None = None
    last_target: Unit | None = None
    for unit in units:
        last_source = unit if source in unit.entities else last_source
        last_target = unit if target in unit.entities else last_target
        if unit not in (last_source, last_target) or last_source is None or last_target is None:
            continue
        distance = abs(last_source.first - last_target.first)
        if nearest_units is None or distance < least_distance:
            nearest_units, least_distance = (last_source, last_target), distance
    return nearest_units


def _does_denial_concern_version(sentence: Sentence, name_units: Sequence[Unit], claim: Claim) -> bool:
    """Return whether a denial concerns a version: names exclude versions, so "Support for Python 3.8 was
    dropped" does not deny Python.
    """
    return claim.relation in _RELATIONS_OUTLIVING_VERSIONS and any(
        claim.target in unit.entities
        and unit.last < len(sentence.lower)
        and _VERSION.fullmatch(sentence.lower[unit.last]) is not None
        and _WORDS_AFTER_QUANTITY.isdisjoint(sentence.lower[unit.last + 1 : unit.last + 2])
        for unit in name_units
    )


def _remove_implied_denials(claims: dict[_TripleKey, Claim]) -> dict[_TripleKey, Claim]:
    """Return the claims without denials that do not follow: the end of an office that the space knows does
    not deny the post, because a former head may still work there.
    """
    denied_office_ends = {
        key.ends for key in claims if key.relation in IMPLIED_RELATIONS and key.polarity is Polarity.DENIED
    }
    implied_types = {implied.relation_type for implied in IMPLIED_RELATIONS.values()}
    return {
        key: claim
        for key, claim in claims.items()
        if key.ends not in denied_office_ends
        or key.relation not in implied_types
        or key.polarity is not Polarity.DENIED
    }


def _read_claims_of_sentence(
    text: str, sentence: Sentence, name_units: list[Unit], adjective_units: list[Unit]
) -> list[Claim]:
    """Return all claims of one sentence: of its clauses, its descriptions and the biographical brackets."""
    description_units = [replace(unit) for unit in adjective_units]
    plain_sentence, units, asides = remove_brackets(sentence, [*name_units, *description_units])
    named_units = [unit for unit in units if not is_adjective_phrase_of_origin(plain_sentence, unit)]
    spans = find_time_spans(text, plain_sentence)
    is_refuted = bool(find_refuted_words(plain_sentence))
    claims, changed_entities = (
        ([], set()) if is_refuted else claim_stated_change(plain_sentence, named_units, spans)
    )
    claims += (
        replace(claim, is_of_neighbors=True)
        for claim in claim_by_clauses(plain_sentence, named_units, spans)
        # "Ann Lee founded Acme, which she sold to Zeta": the founding stays.
        if not (claim.source in changed_entities and claim.target in changed_entities)
        or claim.relation == CREATED.name
    )
    claims += [] if is_refuted else claim_end_of_existence(plain_sentence, named_units, spans)
    claims = claims if is_refuted else replace_family_claims_by_kinship(plain_sentence, named_units, claims)
    claims += claim_nationality(
        plain_sentence,
        named_units,
        [unit for unit in units if is_adjective_phrase_of_origin(plain_sentence, unit)],
    )
    claims += claim_birthplace_at_opening(plain_sentence, named_units)
    claims = [
        claim
        for claim in claims
        if not _is_at_venue(plain_sentence, named_units, claim, spans)
        and not any(
            _does_claim_confuse_character_and_actor(plain_sentence, units, claim, aside) for aside in asides
        )
    ]
    for aside in asides:
        claims += claim_places_of_birth_and_death(aside)
        aside_claims = claim_by_clauses(aside.sentence, aside.units)
        claims += (claim for claim in aside_claims if claim.relation in _RELATIONS_BY_ADDRESS)
    return claims + list(_claim_larger_places(claims))


def _is_at_venue(sentence: Sentence, units: Sequence[Unit], claim: Claim, spans: Sequence[Span]) -> bool:
    """Return whether a claimed post is where somebody was on a day: "Ann Lee at Acme on 3 May 2019"."""
    if claim.relation != WORKS_FOR.name or not claim.is_of_neighbors:
        return False
    if not any(span.start_date is not None and span.start_date.precision is Precision.DAY for span in spans):
        return False
    end_units = _find_nearest_units(units, claim.source, claim.target)
    return end_units is not None and sentence.lower[end_units[0].last : end_units[1].first] == ["at"]


def _does_claim_confuse_character_and_actor(
    sentence: Sentence, units: Sequence[Unit], claim: Claim, aside: Aside
) -> bool:
    """Return whether a claim says of a character what holds for the actor in the brackets after the name, or
    takes the work for a firm: "Eva Berg (Ann Lee) appears in Tides", "Eva Berg (Ann Lee) from Tides".
    """
    has_actor = [(unit.first, unit.last) for unit in aside.units] == [(0, len(aside.sentence.words))] and all(
        unit.kind in PEOPLE or (unit.is_person_name and not unit.is_certain)
        for unit in (aside.owner, *aside.units)
    )
    if claim.source not in aside.owner.entities or not has_actor:
        return False
    is_after_from = any(
        claim.target in unit.entities and word_at(sentence.lower, unit.first - 1) == "from" for unit in units
    )
    return claim.relation == ACTED_IN.name or (claim.relation == WORKS_FOR.name and is_after_from)


def _claim_larger_places(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the claims of an address for its larger places too: "Born in Austin, Texas"."""
    address_claim_by_place: dict[int, Claim] = {
        claim.source: claim for claim in claims if claim.relation in _RELATIONS_BY_ADDRESS
    }
    for claim in claims:
        if claim.relation in _RELATIONS_OF_PLACES and claim.polarity is Polarity.ASSERTED:
            visited_entities = {claim.source, claim.target}
            larger_claim = address_claim_by_place.get(claim.target)
            while larger_claim is not None and larger_claim.target not in visited_entities:
                visited_entities.add(larger_claim.target)
                yield replace(claim, target=larger_claim.target, confidence=claim.confidence - 0.05)
                larger_claim = address_claim_by_place.get(larger_claim.target)


def _remove_vague_relations(relations: Mapping[_TripleKey, _StatedTriple]) -> tuple[FoundRelation, ...]:
    """Return the relations without the vaguest type where a more specific one links the same two entities."""
    typed_pairs = {frozenset(key.ends) for key in relations if key.relation != RELATED_TO.name}
    return tuple(
        FoundRelation(
            source,
            target,
            relation,
            round(stated_triple.confidence, 3),
            stated_triple.quote,
            stated_triple.sentence_count,
            polarity,
            stated_triple.start_date,
            end_date,
            replaces_earlier=stated_triple.replaces_earlier,
        )
        for (source, target, relation, polarity, end_date), stated_triple in relations.items()
        if relation != RELATED_TO.name
        or stated_triple.confidence > 0.5
        or frozenset((source, target)) not in typed_pairs
    )

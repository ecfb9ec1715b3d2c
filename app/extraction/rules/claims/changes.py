"""Claims of sentences about a change among two or three names: a succession, a sale, a divorce."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from app.domain.node_types import GROUPS, IMPERSONAL_TYPES, PEOPLE, PLACED_TYPES
from app.domain.relation_type import Kinds, RelationType
from app.domain.relation_types import (
    EXISTS,
    HEAD_OF,
    MEMBER_OF,
    OWNS,
    RELATION_TYPES,
    REPLACES,
    USES,
    WORKS_FOR,
)
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.claims.time_spans import (
    Span,
    apply_time_span_to_claim,
    begins_other_predicate,
    does_statement_continue,
    find_time_spans,
)
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    compute_kind_misfit,
    does_name_mean_some_of_a_people,
    is_governed_by_preposition,
    join_coordinated_units,
    write_sentence_with_numbered_names,
)
from app.extraction.rules.english.denial_words import MEMBERSHIPS
from app.extraction.rules.english.past.former_states import PAST_STATE_VERBS
from app.extraction.rules.english.words.change_forms import (
    CHANGES,
    DEPUTY_WORDS,
    FORM_WORDS,
    FORMS_OF_END,
    HEAD_TITLES,
    HONOUR_TITLES,
    MEMBER_TITLES,
    SIGNS_OF_CHANGE,
    SIGNS_OF_END,
    WORDS_OF_NEW_BEGINNING,
)
from app.extraction.rules.english.words.deal_forms import (
    DEALS,
    FORM_WORDS_OF_DEALS,
    REVERSALS,
    REVIVING_WORDS,
    SIGNS_OF_DEALS,
    SIGNS_OF_NO_DEAL,
)
from app.extraction.rules.english.words.families import KIN_RELATION_BY_NOUN
from app.extraction.rules.english.words.post_forms import (
    LEFT_FIRM,
    LEFT_THEN,
    POSSIBLE_SIGNS_OF_POSTS,
    POST_CHANGES,
    SIGNS_OF_FIRM_BEFORE,
    SIGNS_OF_POSTS,
    STAYED_THERE,
    WORDS_AFTER_SIGN_OF_POST,
)
from app.extraction.rules.english.words.sentence_form import Change, UnresolvedRelation
from app.extraction.rules.english.words.succession_forms import (
    FORM_WORDS_OF_SUCCESSIONS,
    SIGNS_OF_SUCCESSIONS,
    SUCCESSIONS,
    TEMPORARY_REPLACEMENT,
)
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.extraction.shapes import Surface
from app.graph.validity import Polarity

_MIN_CERTAIN_CONFIDENCE = 0.8
_END_KINDS_BY_RELATION: dict[UnresolvedRelation, tuple[Kinds | None, Kinds | None]] = {
    UnresolvedRelation.OFFICE: (PEOPLE, PLACED_TYPES),
    UnresolvedRelation.JOINS: (PEOPLE, GROUPS),
    UnresolvedRelation.SUPPLANTS: (IMPERSONAL_TYPES, IMPERSONAL_TYPES),
    UnresolvedRelation.RUNS: (None, IMPERSONAL_TYPES),
    UnresolvedRelation.TAKES_OVER: (GROUPS, None),
}


# Endings that contain a word of denial.
_ENDING_WITH_DENIAL_WORDS = re.compile(
    r"\bno longer\b|\bnot (?:renew|extend|prolong|pass|complete)(?:e?d)?\b|\bdeclined to (?:renew|extend)\b"
    r"|\bfailed (?:his|her|their)\b|\bwithout (?:prior )?(?:notice|warning|severance|pay|cause|explanation)\b"
)
# The relation of a form may depend on the kinds: only among things does one replace the other.
_RELATION_BY_FORM = {
    UnresolvedRelation.JOINS: WORKS_FOR,
    UnresolvedRelation.SUPPLANTS: REPLACES,
    UnresolvedRelation.RUNS: USES,
    UnresolvedRelation.TAKES_OVER: OWNS,
}
_PATTERN_BY_FORM_WORD = FORM_WORDS | FORM_WORDS_OF_DEALS | FORM_WORDS_OF_SUCCESSIONS
_RELATIONS_ENDED_BY_LEAVING = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.ends_on_leaving
)
_RENEWED_CONTRACT = re.compile(
    r"\b(?:(?:was|were|been|then|later|since|immediately) (?:renewed|extended|reinstated|reactivated)"
    r"|(?<!not )(?<!never )(?:renewed|extended|reinstated|reactivated) it"
    r"|rehired|re-hired|rejoined|reappointed)\b"
)
_FORM_WORD = re.compile("|".join(sorted(map(re.escape, _PATTERN_BY_FORM_WORD), key=len, reverse=True)))


class _CompiledForm(NamedTuple):
    pattern: re.Pattern[str]
    change: Change


def _compile_change(change: Change) -> _CompiledForm:
    form = change.form
    while _FORM_WORD.search(form):
        form = _FORM_WORD.sub(lambda match: _PATTERN_BY_FORM_WORD[match[0]], form)
    return _CompiledForm(re.compile(re.sub(r"\{([a-z]+)\}", r"(?:the )?@(?P<\1>\\d+)", form)), change)


_PATTERNS_OF_END = [_compile_change(Change(form, ())).pattern for form in FORMS_OF_END]


def _compile_changes(changes: Iterable[Change]) -> list[_CompiledForm]:
    return [
        _compile_change(variant)
        for change in changes
        for variant in (change, change._replace(form=change.form.replace("{pair}", "{a} and {b}")))
        if variant is change or "{pair}" in change.form
    ]


_SUCCESSIONS = frozenset(SUCCESSIONS)
_SUCCESSIONS_OF_PEOPLE = frozenset(succession for succession in SUCCESSIONS if len(succession.claims) > 1)
_FORMS_OF_REVERSALS, _FORMS_OF_POSTS = _compile_changes(REVERSALS), _compile_changes(POST_CHANGES)
_FORMS_OF_SUCCESSIONS = _compile_changes(SUCCESSIONS)
_FORMS_OF_CHANGES, _FORMS_OF_DEALS = _compile_changes(CHANGES), _compile_changes(DEALS)


class ClaimsOfChange(NamedTuple):
    """The claims of a change, and the entities that other readings of the sentence must leave out."""

    claims: list[Claim]
    excluded_entities: set[EntityIndex]


def claim_stated_change(
    sentence: Sentence, sentence_units: list[Unit], spans: Sequence[Span]
) -> ClaimsOfChange:
    """Return the claims of the change that the sentence states."""
    has_several_names = len(sentence_units) > 1 or any(len(unit.entities) > 1 for unit in sentence_units)
    sentence_forms = _list_forms_in_sentence(sentence.lower) if has_several_names else []
    if not sentence_forms:
        return ClaimsOfChange([], set())
    if _has_word_of_doubt(sentence.lower, has_date=bool(spans)):
        sentence_forms = _FORMS_OF_REVERSALS
    units = join_coordinated_units(sentence, sentence_units)
    line, word_indexes = write_sentence_with_numbered_names(sentence, units)
    for pattern, change in sentence_forms:
        for match in pattern.finditer(line):
            if (change.needs_date and not spans) or (
                change in _SUCCESSIONS and TEMPORARY_REPLACEMENT.search(line)
            ):
                return ClaimsOfChange([], _list_entities_in_match(match, units))
            if change in REVERSALS and _is_doubted_or_revived(line, match):
                continue
            if _RENEWED_CONTRACT.search(line, match.end()):
                # "It expired in June and was renewed in July", "was fired, then rehired": nothing ended.
                return ClaimsOfChange([], _list_entities_in_match(match, units))
            claims = [
                _replace_relation_by_membership_if_club(claim, sentence, units)
                for claim in _claim_by_form(
                    change,
                    match,
                    units,
                    _find_dates_of_change(match, sentence, word_indexes, spans) if change.is_dated else (),
                )
            ]
            if claims:
                claimed_entities = {end for claim in claims for end in (claim.source, claim.target)}
                return ClaimsOfChange(claims, claimed_entities)
    return ClaimsOfChange([], set())


def _list_forms_in_sentence(lower_words: Sequence[str]) -> list[_CompiledForm]:
    """Return the forms of whose signs the sentence contains one; most sentences contain none."""
    has_posts = not SIGNS_OF_POSTS.isdisjoint(lower_words) or any(
        word in POSSIBLE_SIGNS_OF_POSTS and next_word in WORDS_AFTER_SIGN_OF_POST
        for word, next_word in pairwise([*lower_words, "."])
    )
    return [
        *(() if SIGNS_OF_SUCCESSIONS.isdisjoint(lower_words) else _FORMS_OF_SUCCESSIONS),
        *(_FORMS_OF_POSTS if has_posts else ()),
        *(() if SIGNS_OF_NO_DEAL.isdisjoint(lower_words) else _FORMS_OF_REVERSALS),
        *(() if SIGNS_OF_CHANGE.isdisjoint(lower_words) else _FORMS_OF_CHANGES),
        *(() if SIGNS_OF_DEALS.isdisjoint(lower_words) else _FORMS_OF_DEALS),
    ]


def _has_word_of_doubt(lower_words: Sequence[str], *, has_date: bool) -> bool:
    """Return whether a word casts doubt on the sentence, except the words of an ending ("no longer"), and
    "will" with a date.
    """
    if not have_word_of_doubt(lower_words):
        return False
    remaining_words = _ENDING_WITH_DENIAL_WORDS.sub(" ", " ".join(lower_words)).split()
    return have_word_of_doubt([word for word in remaining_words if not (has_date and word == "will")])


def _can_be_change_among_people(change: Change, *units: Unit) -> bool:
    """Return whether all names may be people, and at least one is or has an office: "Slack replaced
    HipChat at Acme".
    """
    names_person = "OFFICE" in change.form or any(unit.kind == "Person" for unit in units)
    return names_person and all(compute_kind_misfit(unit, PEOPLE) < 1.0 for unit in units)


def _list_entities_in_match(match: re.Match[str], units: Sequence[Unit]) -> set[EntityIndex]:
    unit_numbers = (
        written_number
        for group_name, written_number in match.groupdict().items()
        if written_number and group_name != "office"
    )
    return {entity for unit_number in unit_numbers for entity in units[int(unit_number)].entities}


def _is_doubted_or_revived(line: str, match: re.Match[str]) -> bool:
    """Return whether the words around a form cast doubt on it, or state that it happened after all."""
    outside_words = f"{line[: match.start()]} {line[match.end() :]}".split()
    return have_word_of_doubt(outside_words) or not REVIVING_WORDS.isdisjoint(line[match.end() :].split())


def claim_end_of_existence(
    sentence: Sentence, sentence_units: list[Unit], spans: Sequence[Span]
) -> Iterator[Claim]:
    """Yield the denial that a person or a group still exists: "Ann Lee died in 2019", "the band broke up"."""
    lower_words = sentence.lower
    if (
        SIGNS_OF_END.isdisjoint(lower_words)
        or not WORDS_OF_NEW_BEGINNING.isdisjoint(lower_words)
        or have_word_of_doubt(lower_words)
    ):
        return
    units = join_coordinated_units(sentence, sentence_units)
    line, _ = write_sentence_with_numbered_names(sentence, units)
    for pattern in _PATTERNS_OF_END:
        for match in pattern.finditer(line):
            group_name, unit_number = next(
                (group_name, value) for group_name, value in match.groupdict().items() if value is not None
            )
            unit = units[int(unit_number)]
            misfit = compute_kind_misfit(unit, PEOPLE if group_name == "person" else GROUPS)
            # A sentence about "he" would name nobody.
            if misfit >= 1.0 or unit.is_reference or is_governed_by_preposition(sentence, unit):
                continue
            # "4,000 Spartans died": some of a people are meant.
            if group_name == "person" and (
                unit.kind not in PEOPLE or does_name_mean_some_of_a_people(sentence, unit)
            ):
                continue
            later_spans = [span for span in spans if span.first >= unit.last] or list(spans)
            for entity in unit.entities:
                claim = Claim(entity, entity, EXISTS, _MIN_CERTAIN_CONFIDENCE - misfit, Polarity.DENIED)
                yield apply_time_span_to_claim(claim, later_spans[0], "") if later_spans else claim


class ClaimWithQuote(NamedTuple):
    """A claim, and the text that states it."""

    claim: Claim
    quote: str


class _Departure(NamedTuple):
    """The dates at which somebody left an unknown company, and the position of the quote in the text."""

    date_spans: Sequence[Span]
    surface: Surface


class _QuotedClaim(NamedTuple):
    claim: Claim
    quote: Surface


@dataclass(slots=True)
class KnownEmployers:
    """The companies that the sentences of a chunk have assigned to people so far, for "She left the
    company".

    `previous_claims` are those of the previous sentence by person, `all_claims` those of all sentences by
    person and company, `departures` the dates and quotes of people who left no known company.
    """

    previous_claims: dict[int, list[_QuotedClaim]] = field(default_factory=dict)
    all_claims: dict[int, dict[int, _QuotedClaim]] = field(default_factory=dict)
    departures: dict[int, _Departure] = field(default_factory=dict)

    def claim_for_unnamed_firms(
        self,
        text: str,
        sentence: Sentence,
        units: Sequence[Unit],
        quote: Surface,
        sentence_claims: Iterable[Claim],
    ) -> list[ClaimWithQuote]:
        """Return the claims about companies that the sentence does not name, each with its quote, and
        update the state.
        """
        claims_by_person: dict[int, list[_QuotedClaim]] = {}
        for claim in sentence_claims:
            if claim.relation in _RELATIONS_ENDED_BY_LEAVING and claim.polarity is Polarity.ASSERTED:
                claims_by_person.setdefault(claim.source, []).append(_QuotedClaim(claim, quote))
        claims_of_firms: list[ClaimWithQuote] = []
        if not SIGNS_OF_FIRM_BEFORE.isdisjoint(sentence.lower):
            claim_of_firm = self._claim_for_unnamed_firm(text, sentence, units, quote, claims_by_person)
            claims_of_firms = (
                []
                if claim_of_firm is None or _has_word_of_doubt(sentence.lower, has_date=False)
                else [claim_of_firm]
            )
        elif not PAST_STATE_VERBS.isdisjoint(sentence.lower):
            claims_of_firms = [
                ClaimWithQuote(_deny_from_date(claim, departure_spans), text[surface.start : quote.end])
                for person, (departure_spans, surface) in self.departures.items()
                for claim, _ in claims_by_person.get(person, [])
            ]
        self.departures = self.departures if not claims_of_firms and claims_by_person == {} else {}
        self.previous_claims = claims_by_person
        for person, claims in claims_by_person.items():
            self.all_claims.setdefault(person, {}).update(
                (quoted_claim.claim.target, quoted_claim) for quoted_claim in claims
            )
        return claims_of_firms

    def _claim_for_unnamed_firm(
        self,
        text: str,
        sentence: Sentence,
        units: Sequence[Unit],
        quote: Surface,
        claims_by_person: Mapping[int, list[_QuotedClaim]],
    ) -> ClaimWithQuote | None:
        line, word_indexes = write_sentence_with_numbered_names(sentence, units)
        pattern_matches = (
            (pattern, pattern.search(line)) for pattern in (LEFT_FIRM, LEFT_THEN, STAYED_THERE)
        )
        pattern, match = next(
            ((pattern, match) for pattern, match in pattern_matches if match is not None),
            (LEFT_FIRM, None),
        )
        if match is None:
            return None
        first_word = word_indexes[line.count(" ", 0, match.start())]
        unit = units[int(match["x"] or 0)]
        date_spans = [span for span in find_time_spans(text, sentence) if span.first >= first_word][:1]
        if len(unit.entities) != 1 or (not date_spans and pattern is not LEFT_FIRM):
            return None
        person = unit.entities[0]
        earlier_claims = self.previous_claims.get(person, [])
        if match["x"] is None:
            earlier_claims = _find_claims_about_second_name(
                [candidate for candidate in units if candidate.first < first_word],
                claims_by_person.get(person, []),
            )
        elif pattern is LEFT_FIRM:
            earlier_claims = list(self.all_claims.get(person, {}).values())
            self.departures |= {} if earlier_claims else {person: _Departure(date_spans, quote)}
        if len({claim.target for claim, _ in earlier_claims}) != 1:
            return None
        claim, surface = earlier_claims[0]
        claim = replace(claim, confidence=min(_MIN_CERTAIN_CONFIDENCE, unit.max_confidence, claim.confidence))
        ended_claim = (
            apply_time_span_to_claim(claim, date_spans[0], "")
            if pattern is STAYED_THERE
            else _deny_from_date(claim, date_spans)
        )
        return ClaimWithQuote(ended_claim, text[surface.start : quote.end])


def _find_claims_about_second_name(
    units: Sequence[Unit], claims: Sequence[_QuotedClaim]
) -> list[_QuotedClaim]:
    """Return the claims about the second of two names: "joined Acme in 2001 and left in 2009"."""
    return [
        quoted_claim
        for quoted_claim in claims
        if len(units) == 2 and quoted_claim.claim.target in units[1].entities
    ]


def _deny_from_date(claim: Claim, date_spans: Sequence[Span]) -> Claim:
    """Return the denial of a claim, from its date on if it has one."""
    return replace(
        claim,
        polarity=Polarity.DENIED,
        start_date=date_spans[0].start_date if date_spans else None,
        end_date=None,
    )


def _find_dates_of_change(
    match: re.Match[str], sentence: Sentence, word_indexes: Sequence[int], spans: Sequence[Span]
) -> Sequence[Span]:
    """Return the dates of the change: within its words or right after them, else before them."""
    if not spans:
        return spans
    first_word, end_word = (word_indexes[match.string.count(" ", 0, offset)] for offset in match.span())
    if len(spans) == 1:
        # "His successor is Noor van Dalen, who has led the team since 2022": the date of another clause.
        return [] if begins_other_predicate(sentence.lower[end_word : spans[0].first]) else spans
    inner_spans = [span for span in spans if first_word <= span.first < end_word]
    next_span = next((span for span in spans if span.first >= end_word), None)
    if next_span is not None and does_statement_continue(sentence.lower[end_word : next_span.first]):
        return [*inner_spans, next_span]
    return inner_spans or [span for span in spans if span.first < first_word]


def _claim_by_form(
    change: Change, match: re.Match[str], units: Sequence[Unit], spans: Sequence[Span]
) -> Iterator[Claim]:
    units_by_letter = _map_letters_to_names(match, units)
    if units_by_letter is None or (
        change in _SUCCESSIONS_OF_PEOPLE
        and not _can_be_change_among_people(change, units_by_letter["x"], units_by_letter["y"])
    ):
        return
    # "Went from Leeds to York": if one place is not an employer, neither is the other.
    unfit_relations = {
        relation
        for source_letter, relation, target_letter, _ in change.claims
        if relation is WORKS_FOR
        and _compute_misfit_of_ends(relation, units_by_letter[source_letter], units_by_letter[target_letter])
        >= 1.0
    }
    for source_letter, relation, target_letter, holds in change.claims:
        source_unit, target_unit = units_by_letter[source_letter], units_by_letter[target_letter]
        misfit = _compute_misfit_of_ends(relation, source_unit, target_unit)
        if misfit >= 1.0 or relation in unfit_relations:
            continue
        if holds and not change.needs_date:
            # "His successor was Ann, who led it until 2019": the end date is Ann's.
            spans = [span for span in spans if span.start_date is not None]
        # The first of two dates is that of the ended relation, the second that of its end.
        claim_spans = spans[
            0 if holds and (source_letter, relation, target_letter, False) in change.claims else -1 :
        ]
        for named_claim in _claim_relation_or_post(relation, match, source_unit, target_unit):
            claim = replace(
                named_claim, confidence=min(named_claim.confidence, _MIN_CERTAIN_CONFIDENCE - misfit)
            )
            claim = (
                replace(claim, replaces_earlier=change.replaces_earlier)
                if holds
                else replace(claim, polarity=Polarity.DENIED)
            )
            yield apply_time_span_to_claim(claim, claim_spans[0], "") if claim_spans else claim


def _replace_relation_by_membership_if_club(claim: Claim, sentence: Sentence, units: Sequence[Unit]) -> Claim:
    """Return the claim, as a membership if the target is a party or a club."""
    target_unit = next(unit for unit in units if claim.target in unit.entities)
    is_asserted_job = claim.relation == WORKS_FOR.name and claim.polarity is Polarity.ASSERTED
    is_membership = is_asserted_job and word_at(sentence.lower, target_unit.last - 1) in MEMBERSHIPS
    return replace(claim, relation=MEMBER_OF.name) if is_membership else claim


def _compute_misfit_of_ends(
    relation: RelationType | UnresolvedRelation, source_unit: Unit, target_unit: Unit
) -> float:
    """Return how badly these ends fit the relation; 1 or more if they are impossible."""
    source_kinds, target_kinds = (
        _END_KINDS_BY_RELATION[relation]
        if isinstance(relation, UnresolvedRelation)
        else (relation.ends.sources, relation.ends.targets)
    )
    if relation is UnresolvedRelation.JOINS and not target_unit.is_certain:
        return 1.0  # "Moved to Globex" may be a place.
    return compute_kind_misfit(source_unit, source_kinds) + compute_kind_misfit(target_unit, target_kinds)


def _map_letters_to_names(match: re.Match[str], units: Sequence[Unit]) -> dict[str, Unit] | None:
    """Return the names by the letters of the form; None if a required pair is not one."""
    number_by_letter = {
        letter: written_number
        for letter, written_number in match.groupdict().items()
        if written_number is not None and letter != "office"
    }
    units_by_letter = {
        letter: units[int(written_number)] for letter, written_number in number_by_letter.items()
    }
    # "Took it over from her father": it was not hers before.
    if any(_only_names_owner_of_kin(match, letter, unit) for letter, unit in units_by_letter.items()):
        return None
    if "pair" in units_by_letter:
        pair_unit = units_by_letter.pop("pair")
        if len(pair_unit.entities) != 2:
            return None
        first_entity, second_entity = pair_unit.entities
        units_by_letter |= {
            "a": replace(pair_unit, entities=[first_entity]),
            "b": replace(pair_unit, entities=[second_entity]),
        }
    return units_by_letter


def _only_names_owner_of_kin(match: re.Match[str], letter: str, unit: Unit) -> bool:
    """Return whether a pronoun of the form only states whose kin somebody is."""
    next_words = match.string[match.end(letter) :].split(maxsplit=1)
    return unit.is_reference and bool(next_words) and next_words[0] in KIN_RELATION_BY_NOUN


def _claim_relation_or_post(
    relation: RelationType | UnresolvedRelation, match: re.Match[str], source: Unit, target: Unit
) -> Iterator[Claim]:
    """Yield the claims of this relation; an office leads its organization, and is a post there in any
    case.
    """
    if relation is not UnresolvedRelation.OFFICE:
        relation_type = _RELATION_BY_FORM[relation] if isinstance(relation, UnresolvedRelation) else relation
        yield from claim_between_units(source, target, relation_type.name, _MIN_CERTAIN_CONFIDENCE)
        return
    office_words = (match.groupdict().get("office") or "").split()
    if not HONOUR_TITLES.isdisjoint(office_words):
        return
    if not MEMBER_TITLES.isdisjoint(office_words):
        yield from claim_between_units(source, target, MEMBER_OF.name, _MIN_CERTAIN_CONFIDENCE)
        return
    # "Acme hired Bob as head of research": he leads a part of it.
    precedes_of = match.string[match.end() :].split()[:1] == ["of"]
    if not HEAD_TITLES.isdisjoint(office_words) and DEPUTY_WORDS.isdisjoint(office_words) and not precedes_of:
        yield from claim_between_units(source, target, HEAD_OF.name, _MIN_CERTAIN_CONFIDENCE)
    if compute_kind_misfit(target, GROUPS) < 1.0:
        yield from claim_between_units(source, target, WORKS_FOR.name, _MIN_CERTAIN_CONFIDENCE)

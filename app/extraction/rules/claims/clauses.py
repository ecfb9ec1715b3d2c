"""The claims of one sentence, by its names in order and the words between two of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from app.domain.relation_types import LOCATED_IN, RELATION_TYPES
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.claims.dates import Span, at_time, span_of
from app.extraction.rules.claims.denials import (
    claims_against,
    could_end,
    ends_by_event,
    is_past,
    is_said_of_neither,
    may_deny,
    refuted_words,
    trails_denial,
    without_denial,
)
from app.extraction.rules.claims.descriptions import claims_of_place
from app.extraction.rules.claims.gaps import (
    as_finite,
    owned_name,
    titled_name,
    without_articles,
    without_comma_before_title,
    without_last_role,
    without_office,
    without_partitive,
    without_piece,
    without_position,
    without_posts_held,
    without_term,
)
from app.extraction.rules.claims.kin import by_own_marriage, claims_of_birth, claims_of_other_parent
from app.extraction.rules.claims.nouns import claims_by_nouns, claims_of_names_origin, claims_of_post
from app.extraction.rules.claims.phrases import (
    Trigger,
    claims_of_phrase,
    phrase_at,
    phrase_between,
    triggers,
    turned_round,
)
from app.extraction.rules.claims.places import (
    claims_of_examples,
    claims_of_extreme,
    claims_of_larger_place,
)
from app.extraction.rules.claims.subjects import by_object, is_replaced, is_second_noun, subject_of
from app.extraction.rules.claims.suppositions import are_doubted
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    between,
    coordinated,
    is_oblique,
    is_owner,
    noun_after_comma_fits_name,
    opens_clause,
    with_kin_joined,
    without_rejected,
)
from app.extraction.rules.claims.works import (
    claims_of_maker,
    claims_of_own_work,
    claims_of_part,
    claims_of_piece,
)
from app.extraction.rules.english.grammar import ARTICLES, BE, INDEFINITE, PREPOSITIONS
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.names import ADJECTIVE_ENDS
from app.extraction.rules.english.pairs import KIN, POSTS_HELD
from app.extraction.rules.english.patterns.table import NOMINAL, TRIE
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.validity import Polarity

_OBJECT_RELATIVE = frozenset(("which", "whom"))
_LASTING = frozenset(relation_type.name for relation_type in RELATION_TYPES if relation_type.lasting)
_POSSESSIVE_S = (["'s"], ["’s"])
_BESIDES = (["after"], ["before"], ["while"])
# With more words between two names nothing is said of both.
_LONGEST_GAP = 40


def _closes(word: str) -> bool:
    """Return whether a name before this word is whole: the word is no noun that the name qualifies."""
    is_function_word = word in STOP_WORDS or word in PREPOSITIONS or word in KIND_OF or word in TRIE
    return is_function_word or word.endswith(("ly", "ed", "ing"))


@dataclass(slots=True)
class _Clause:
    """The subject of a sentence so far, read from left to right.

    `running` is the subject of the clause, `outer` that of the one around "which Ann founded", `located`
    what the last claim placed, `denied` whether all that follows is in doubt, `last` the claims of the two
    names before, `ending` the phrase that denied them, `aside` the name of ", formerly of X,".
    """

    running: Unit | None = None
    outer: Unit | None = None
    located: Unit | None = None
    denied: bool = False
    last: list[Claim] = field(default_factory=list)
    ending: str = ""
    aside: Unit | None = None

    def is_doubtful(self, gap: list[str], right_unit: Unit) -> bool:
        """Return whether these words deny or only suppose what they state."""
        doubtful = self.denied or (are_doubted(gap) and "only" not in gap)
        # "He denied that she founded it": what follows is in doubt to the end.
        self.denied = doubtful and (self.denied or right_unit.is_reference or "that" in gap)
        return doubtful


def claims_of_sentence(
    sentence: Sentence, sentence_units: list[Unit], spans: Sequence[Span] = ()
) -> Iterator[Claim]:
    """All claims between the units of one sentence, in reading order; a pair may be claimed twice.

    Those that it denies are denied, and each takes the span of time that the sentence gives it.
    """
    units = with_kin_joined(sentence, without_rejected(sentence, coordinated(sentence, sentence_units)))
    if len(units) < 2:
        return
    clause = _Clause()
    opening = [opens_clause(sentence, unit) for unit in units]
    denying = may_deny(sentence)
    refuted_range = refuted_words(sentence) if denying else range(0)
    yield from by_own_marriage(sentence, units)
    for index in range(len(units) - 1):
        left_unit, right_unit = units[index], units[index + 1]
        opens = opening[index] or (clause.running is None and not is_oblique(sentence, left_unit))
        if opens and not is_owner(sentence, left_unit):
            inner = word_at(sentence.lower, left_unit.first - 1) in _OBJECT_RELATIVE
            clause.outer = clause.running if inner else None
            clause.running, clause.located = left_unit, None
        gap = sentence.lower[left_unit.last : right_unit.first]
        refuted = left_unit.first in refuted_range and right_unit.last <= refuted_range.stop
        denied = _denied(sentence, units, index, gap, clause, refuted=refuted) if denying else None
        claims = denied
        if claims is None:
            claims = _asserted(sentence, units, index, gap, clause, opening=opening[index + 1])
        claims += claims_of_birth(gap, right_unit, clause.last) if denied is None else []
        claims += claims_of_other_parent(sentence, units, index + 1, claims)
        clause.last = claims
        span = span_of(sentence, spans, units, index) if claims else None
        yield from claims if span is None else (at_time(claim, span, clause.ending) for claim in claims)


def _asserted(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause, *, opening: bool
) -> list[Claim]:
    """The claims that two neighbours state; `opening` says that the second one begins a clause."""
    left_unit, right_unit = units[index], units[index + 1]
    if len(gap) > _LONGEST_GAP:
        clause.running, clause.located = None, None
    elif clause.is_doubtful(gap, right_unit):
        clause.located = None
    elif opening:
        # "A made B, and C made D": nothing is said of B and C.
        clause.located = None
        return list(by_object(sentence, gap, left_unit, right_unit))
    else:
        return _between_names(sentence, units, index, gap, clause)
    return []


def _denied(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause, *, refuted: bool
) -> list[Claim] | None:
    """The claims that these words deny, or state against what they deny; None where they deny nothing."""
    left_unit, right_unit = units[index], units[index + 1]
    if len(gap) > _LONGEST_GAP or clause.denied:
        return None
    instead = _instead(sentence, units, index, gap, clause)
    if instead:
        return instead
    named, follows = (
        sentence.lower[right_unit.first : right_unit.last],
        sentence.words[right_unit.last : right_unit.last + 4],
    )
    asserting = without_denial(gap, left_unit, right_unit, named, follows)
    past = False
    outside = refuted or is_said_of_neither(sentence, left_unit)
    if asserting is not None and outside:
        return []  # "It is not true that Bob left Acme": nothing ended, and whether he is there is not said.
    if asserting is not None:
        clause.aside = right_unit if gap[0] == "," else None
        gap, clause.ending = asserting
    elif not are_doubted(gap) and (outside or trails_denial(sentence, right_unit)):
        clause.ending = ""
    elif not are_doubted(gap) and ends_by_event(sentence, units, index, gap):
        clause.ending = "former"
    elif not are_doubted(gap) and is_past(sentence, units, index, gap):
        past, clause.ending = True, "former"
    else:
        return None
    claims = _between_names(sentence, units, index, gap, clause)
    clause.located = None
    # A former player from Cuba is from Cuba still.
    return [
        claim
        if claim.relation in _LASTING or (past and not could_end(claim, gap))
        else replace(claim, polarity=Polarity.DENIED)
        for claim in claims
    ]


def _instead(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause
) -> list[Claim]:
    """The claims of what stands against the name before, "not CEO of Acme but of Zeta", "but the CFO of"."""
    left_unit, right_unit = units[index], units[index + 1]
    against = claims_against(gap, left_unit, right_unit, clause.last, clause.ending)
    words = gap[gap[:1] == [","] :]
    denied = any(claim.polarity is Polarity.DENIED for claim in clause.last)
    if against or not denied or clause.running is None or words[:1] != ["but"] or len(words) < 3:
        return against
    names = [*units[:index], clause.running, *units[index + 1 :]]
    is_post = words[1 + (words[1] in ARTICLES)] in NOMINAL | POSTS_HELD
    return _between_names(sentence, names, index, ["is", *words[1:]], clause) if is_post else []


def _between_names(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause
) -> list[Claim]:
    """The claims of two neighbours: by a verb or phrase, else by nouns alone."""
    left_unit, right_unit = units[index], units[index + 1]
    if is_replaced(sentence, left_unit, gap):
        return []
    of_name = claims_of_names_origin(sentence, left_unit, right_unit, gap)
    if of_name is not None:
        return of_name
    if (
        clause.running is not None
        and _describes(sentence, left_unit)
        and gap[:1] in (["in"], ["of"], ["from"])
    ):
        left_unit = clause.running  # "Oslo is a Local Authority in Norway"
        units = [*units[:index], left_unit, *units[index + 1 :]]
    turned = turned_round(sentence, left_unit, right_unit, gap)
    if turned == []:
        return []
    if turned is not None and (of_turned := triggers(turned)) is not None:
        claims = _by_verb(sentence, right_unit, left_unit, turned, of_turned, _Clause(denied=clause.denied))
        if claims:
            return claims
    gap, trigger = phrase_between(
        without_partitive(
            without_comma_before_title(
                without_position(
                    as_finite(without_posts_held(without_term(gap)), plural=len(left_unit.entities) > 1)
                )
            )
        )
    )
    owned = owned_name(sentence, units, index)
    meant_owner = _meant(sentence, units, index, owned, gap)
    if meant_owner is not None:
        owned, gap = meant_owner
        trigger = triggers(gap)
    if trigger is not None and owned is not None:
        return _by_verb(sentence, left_unit, owned, gap, trigger, clause)
    if trigger is None:
        claims = _by_running_place(gap, right_unit, clause) or _by_description(
            sentence, units, index, gap, clause.running
        )
    elif sentence.lower[right_unit.last : right_unit.last + 1] in _POSSESSIVE_S:
        claims = _by_running_place(gap, right_unit, clause)
    else:
        claims = _by_verbs(sentence, units, index, gap, trigger, clause)
    return (
        claims
        or claims_of_post(sentence, left_unit, right_unit, gap)
        or claims_by_nouns(sentence, units, index, gap)
    )


def _meant(
    sentence: Sentence, units: list[Unit], index: int, owned: Unit | None, gap: list[str]
) -> tuple[Unit, list[str]] | None:
    """The name that a phrase is about in place of the next one, and the gap without what leads to it."""
    titled = titled_name(sentence, units, index + 1 + (owned is not None))
    if titled is not None:
        return titled, without_piece(gap)
    plain = without_articles(gap)
    if owned is not None and owned.kind == "Person" and plain[-1:] == ["of"]:
        return owned, without_office(plain)
    return None


def _by_verbs(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], trigger: Trigger, clause: _Clause
) -> list[Claim]:
    """The claims of a phrase between two neighbours, of a second role, and of a part of a place before it."""
    left_unit, right_unit = units[index], units[index + 1]
    claims = _by_verb(sentence, left_unit, right_unit, gap, trigger, clause)
    shorter = without_last_role(gap, trigger[0])
    second_trigger = triggers(shorter) if shorter else None
    if second_trigger is not None:
        claims += _by_verb(sentence, left_unit, right_unit, shorter, second_trigger, clause)
    describes = word_at(sentence.lower, left_unit.last - 1).endswith(ADJECTIVE_ENDS)
    if left_unit.kind == "Location" and KIND_OF.get(gap[0]) == "Location" and not describes:
        claims += claims_by_nouns(sentence, units, index, gap)  # "in the Otways region of Victoria"
    return claims


def _by_description(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], running: Unit | None
) -> list[Claim]:
    """The claims of two neighbours that no verb joins: of the first description that fits."""
    left_unit, right_unit = units[index], units[index + 1]
    claims = (
        claims_of_place(sentence, left_unit, right_unit)
        or claims_of_maker(sentence, left_unit, right_unit, gap)
        or claims_of_piece(sentence, left_unit, right_unit, gap)
        or claims_of_part(sentence, left_unit, right_unit, gap, running)
        or claims_of_extreme(sentence, left_unit, right_unit, gap)
        or claims_of_examples(sentence, left_unit, right_unit, gap)
        or claims_of_own_work(sentence, left_unit, right_unit, gap)
    )
    if not claims:
        claims = claims_of_larger_place(sentence, left_unit, right_unit, gap, running)
        claims += claims_by_nouns(sentence, units, index, gap)
    return claims


def _by_verb(
    sentence: Sentence,
    left_unit: Unit,
    right_unit: Unit,
    gap: list[str],
    trigger: Trigger,
    clause: _Clause,
) -> list[Claim]:
    """The claims of the first reading of a phrase that has any."""
    start, readings = trigger
    passive = "by" in gap[start + 1 :] and any(pattern.transitive for _, pattern in readings)
    clause.located = None
    if left_unit is clause.aside and gap[0] == "," and clause.running is not None:
        left_unit = clause.running  # "Ann Lee, formerly of Acme, is now the CTO of"
    subject = _subject(sentence, left_unit, gap, start, passive, clause)
    if subject is None:
        return []
    deduction = subject[1] + _modifies(sentence, gap, right_unit)
    for end, pattern in readings:
        phrase = phrase_at(gap, (start, end))
        claims = [] if phrase is None else claims_of_phrase(sentence, pattern, phrase, subject[0], right_unit)
        if claims:
            clause.located = subject[0] if claims[-1].relation == LOCATED_IN.name else None
            return [replace(claim, confidence=claim.confidence - deduction) for claim in claims]
    return []


def _describes(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name says what something is: "is a Caldecott Medal Book"."""
    before = sentence.lower[max(0, unit.first - 2) : unit.first]
    return len(before) == 2 and before[0] in BE and before[1] in INDEFINITE


def _subject(
    sentence: Sentence, left_unit: Unit, gap: list[str], start: int, passive: bool, clause: _Clause
) -> tuple[Unit, float] | None:
    """The unit that the phrase at this place of the gap is about, and a deduction for how unclear that is."""
    running = clause.running
    if running is not None and left_unit.entities == running.entities:
        left_unit = running  # "Acme, also known as Zeta, was"
    if passive and start == 0 and running is not None and _describes(sentence, left_unit):
        # "X is a Caldecott Medal Book written by Ann": a name that says what X is, is not what was written.
        return running, 0.0
    # "married Bob Ray, founder of Acme": what stands right behind a name says who that is.
    if (
        gap[:start] == [","]
        and gap[start] in NOMINAL - KIN
        and noun_after_comma_fits_name(left_unit, gap[start])
    ):
        return left_unit, 0.0
    # "Initech, which Globex bought, was founded by": behind the inner clause it goes on about Initech.
    if word_at(sentence.lower, left_unit.first - 1) in _OBJECT_RELATIVE and "," in gap[1:start]:
        clause.running = clause.outer
        return (clause.outer, 0.05) if clause.outer is not None else None
    # "is the tenth episode of the season and the 41st episode of": a second noun of what the name is.
    if is_second_noun(gap, start) and not is_oblique(sentence, left_unit):
        return left_unit, 0.0
    # "pursued a career after graduating from Yale": of who the clause is about.
    if gap[start].endswith("ing") and gap[:start][-1:] in _BESIDES and running is not None:
        return running, 0.05
    return subject_of(sentence, left_unit, gap[:start], passive, running)


def _modifies(sentence: Sentence, gap: list[str], right_unit: Unit) -> float:
    """The deduction for a name that only qualifies the noun behind it: "proposed US2 tolls"."""
    follows = word_at(sentence.lower, right_unit.last)
    if follows in KIND_OF and not INDEFINITE.isdisjoint(gap[-3:]):
        return 0.4  # "sold the first SQL database": one of many that are called so
    return 0.15 if follows.isalpha() and not _closes(follows) else 0.0


def _by_running_place(gap: list[str], right_unit: Unit, clause: _Clause) -> list[Claim]:
    """The claim of a further place of what the last claim placed: "was held in Paris and later in Rome"."""
    located = clause.located
    if located is None or located.kind not in ("Organization", "Event") or right_unit.kind != "Location":
        return []
    return between(located, right_unit, LOCATED_IN.name, 0.55) if gap in (["in"], [",", "in"], ["at"]) else []

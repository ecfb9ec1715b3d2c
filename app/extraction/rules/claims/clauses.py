"""The claims of one sentence, by its names in order and the words between two of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from app.extraction.rules.claims.dates import Span, at_time, span_of
from app.extraction.rules.claims.denials import (
    claims_against,
    ends_by_event,
    is_denied_around,
    is_denied_whole,
    may_deny,
    without_denial,
)
from app.extraction.rules.claims.descriptions import claims_of_place
from app.extraction.rules.claims.gaps import (
    owned_name,
    without_comma_before_title,
    without_dates,
    without_last_role,
    without_office,
    without_partitive,
    without_position,
)
from app.extraction.rules.claims.nouns import claims_by_nouns
from app.extraction.rules.claims.phrases import Phrase, located, perhaps_located, phrase_at
from app.extraction.rules.claims.places import (
    claims_of_examples,
    claims_of_extreme,
    claims_of_larger_place,
)
from app.extraction.rules.claims.subjects import is_plain, subject_of
from app.extraction.rules.claims.suppositions import are_doubted
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    between,
    coordinated,
    is_described,
    is_oblique,
    is_verb,
    misfit,
    opens_clause,
)
from app.extraction.rules.claims.works import claims_of_maker, claims_of_own_work, claims_of_part
from app.extraction.rules.english.grammar import (
    ARTICLES,
    AT_PLACES,
    BE,
    DETERMINERS,
    INDEFINITE,
    LINKS,
    PREPOSITIONS,
)
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.pairs import IMPLIED, KIN
from app.extraction.rules.english.patterns import NOMINAL, TRIE, WHOLE_OBJECT
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tables import Pattern
from app.graph.validity import Polarity
from app.scoring.stop_words import STOP_WORDS

_OWN_MARRIAGE = {("her", "marriage", "to"), ("his", "marriage", "to")}
# How many words may stand behind "by".
_BY_REACH = 6
_BESIDES = (["after"], ["before"], ["while"])
# With more words between two names nothing is said of both.
_LONGEST_GAP = 40

_Trigger = tuple[int, list[tuple[int, Pattern]]]


def _closes(word: str) -> bool:
    """Return whether a name before this word is whole: the word is no noun that the name qualifies."""
    return word in STOP_WORDS or word in KIND_OF or word in TRIE or word.endswith(("ly", "ed", "ing"))


def _triggers(gap: list[str]) -> _Trigger | None:
    """The last phrase of the gap that states something: where it begins, and its readings with their ends."""
    best: _Trigger | None = None
    words = tuple(gap)
    at = 0
    while at < len(words):
        entries = TRIE.get(words[at])
        step = 1
        if entries is not None:
            matches = [
                (len(rest) + 1, found)
                for rest, found in entries
                if words[at + 1 : at + 1 + len(rest)] == rest
            ]
            # "the published design": a participle behind an article states nothing.
            described = at > 0 and words[at - 1] in ARTICLES
            if matches and not (described and matches[0][1].transitive):
                step = matches[0][0]
                best = (at, [(at + length, found) for length, found in matches])
        at += step
    return best


def _is_linked(before: list[str]) -> bool:
    """Return whether a noun behind these words says what the subject is, and is not the object of a verb."""
    for at in range(len(before) - 1, -1, -1):
        word = before[at]
        if word in LINKS or (word == "," and at == 0):
            return True
        if word in ("in", "on") and before[at + 1 :] in (["a"], ["an"]):
            return False  # "debuting in an episode of X"
        described = at > 0 and (before[at - 1] in DETERMINERS or before[at - 1].endswith("ly"))
        if is_verb(word) and not (described and word.endswith("ed")):
            return False
    return True


def _read(sentence: Sentence, pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """The claims of one reading of a phrase; none where its shape does not fit."""
    nominal = not pattern.transitive and phrase.gap[phrase.start] in NOMINAL
    if nominal and not _is_linked(phrase.gap[: phrase.start]):
        return []
    if pattern.named is not None and pattern.named.isdisjoint(sentence.lower[target.first : target.last]):
        return []
    if pattern.locating and target.kind == "Location" and phrase.preposition in AT_PLACES:
        return located(pattern, phrase, subject, target)
    if pattern.locating and not pattern.transitive:
        return perhaps_located(pattern, phrase, subject, target)
    if pattern.transitive:
        return _by_transitive(pattern, phrase, subject, target)
    return [] if phrase.broken else _stated(pattern, subject, target, phrase.deduction)


def _by_transitive(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """The claims of "subject verb object", and of its passive."""
    if phrase.preposition == "by":
        return _stated(pattern, target, subject, phrase.deduction) if _is_passive(phrase) else []
    if phrase.helped or phrase.broken:
        # "developed at Berkeley": who did it stands behind "at", less surely.
        if pattern.relation == "created" and phrase.preposition == "at" and target.kind == "Organization":
            return between(target, subject, "created", 0.6 - phrase.deduction)
        return []
    if "of" not in phrase.rest:
        return _stated(pattern, subject, target, phrase.deduction)
    if pattern.relation in WHOLE_OBJECT:
        return []
    return _stated(pattern, subject, target, phrase.deduction + 0.15)


def _stated(pattern: Pattern, subject: Unit, target: Unit, deduction: float) -> list[Claim]:
    """The claims of a pattern between these ends, where their kinds allow it."""
    source, goal = (target, subject) if pattern.reversed else (subject, target)
    unfit = misfit(source, pattern.subjects) + misfit(goal, pattern.objects)
    if unfit >= 1.0:
        return []
    sure = pattern.confidence - unfit - deduction
    claims = between(source, goal, pattern.relation, sure)
    implied = IMPLIED.get(pattern.relation)
    if claims and implied is not None and goal.certain and goal.kind in implied[1]:
        claims += between(source, goal, implied[0], sure)
    return claims


def _is_passive(phrase: Phrase) -> bool:
    """Return whether the name behind "by" is who did it; "designs by Y" is a noun."""
    gap, rest = phrase.gap, phrase.rest
    if gap[phrase.start].endswith("s"):
        return False
    near = rest[::-1].index("by") <= _BY_REACH
    return near and (phrase.helped or rest[0] == "by" or gap[0] == "," or phrase.start > 0)


def _by_object(sentence: Sentence, gap: list[str], left: Unit, right: Unit) -> Iterator[Claim]:
    """ "X, which Y made in 1990": Y is the subject and X the object of one verb that has no other object."""
    if gap not in ([",", "which"], ["which"], ["that"], [",", "that"]) or is_oblique(sentence, left):
        return
    at = right.last
    while at < len(sentence.lower) and is_plain(sentence.lower[at]):
        if sentence.lower[at] in BE:
            return
        at += 1
    follows = sentence.lower[at + 1] if at + 1 < len(sentence.lower) else "."
    if at < len(sentence.lower) and (follows in PREPOSITIONS or not follows[0].isalnum()):
        for rest, pattern in TRIE.get(sentence.lower[at], ()):
            if not rest and pattern.transitive and not pattern.reversed:
                yield from between(right, left, pattern.relation, pattern.confidence - 0.15)


@dataclass(slots=True)
class _Clause:
    """The subject of a sentence so far, read from left to right.

    `running` is the subject of the clause, `located` what the last claim placed, `denied` whether all
    that follows is in doubt, `last` the claims of the two names before, `ending` the phrase that denied them.
    """

    running: Unit | None = None
    located: Unit | None = None
    denied: bool = False
    last: list[Claim] = field(default_factory=list)
    ending: str = ""

    def is_doubtful(self, gap: list[str], right: Unit) -> bool:
        """Return whether these words deny or only suppose what they state."""
        doubtful = self.denied or (are_doubted(gap) and "only" not in gap)
        # "He denied that she founded it": what follows is in doubt to the end.
        self.denied = doubtful and (self.denied or right.most < 1 or "that" in gap)
        return doubtful


def claims_of_sentence(sentence: Sentence, found: list[Unit], spans: Sequence[Span] = ()) -> Iterator[Claim]:
    """All claims between the units of one sentence, in reading order; a pair may be claimed twice.

    Those that it denies are denied, and each takes the span of time that the sentence gives it.
    """
    units = coordinated(sentence, found)
    if len(units) < 2:
        return
    clause = _Clause()
    opening = [opens_clause(sentence, unit) for unit in units]
    denying = may_deny(sentence)
    whole = denying and is_denied_whole(sentence, units)
    yield from _by_own_marriage(sentence, units)
    for index in range(len(units) - 1):
        left, right = units[index], units[index + 1]
        if opening[index] or (clause.running is None and not is_oblique(sentence, left)):
            clause.running, clause.located = left, None
        gap = sentence.lower[left.last : right.first]
        claims = _denied(sentence, units, index, gap, clause, whole=whole) if denying else None
        if claims is None:
            claims = _asserted(sentence, units, index, gap, clause, opening=opening[index + 1])
        clause.last = claims
        span = span_of(sentence, spans, units, index) if claims else None
        yield from claims if span is None else (at_time(claim, span, clause.ending) for claim in claims)


def _by_own_marriage(sentence: Sentence, units: Sequence[Unit]) -> Iterator[Claim]:
    """ "Through her marriage to Bob, Ann was": whose the marriage is, is said behind the comma."""
    spouse, subject = units[0], units[1]
    before, gap = sentence.lower[: spouse.first], sentence.lower[spouse.last : subject.first]
    if tuple(before[-3:]) in _OWN_MARRIAGE and gap == [","] and not are_doubted(sentence.lower):
        yield from between(subject, spouse, "married_to", 0.75)


def _asserted(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause, *, opening: bool
) -> list[Claim]:
    """The claims that two neighbours state; `opening` says that the second one begins a clause."""
    left, right = units[index], units[index + 1]
    if len(gap) > _LONGEST_GAP:
        clause.running, clause.located = None, None
    elif clause.is_doubtful(gap, right):
        clause.located = None
    elif opening:
        # "A made B, and C made D": nothing is said of B and C.
        clause.located = None
        return list(_by_object(sentence, gap, left, right))
    else:
        return _between_names(sentence, units, index, gap, clause)
    return []


def _denied(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause, *, whole: bool
) -> list[Claim] | None:
    """The claims that these words deny, or state against what they deny; None where they deny nothing."""
    left, right = units[index], units[index + 1]
    if len(gap) > _LONGEST_GAP or clause.denied:
        return None
    against = claims_against(gap, left, right, clause.last, clause.ending)
    if against:
        return against
    named, follows = sentence.lower[right.first : right.last], sentence.lower[right.last : right.last + 1]
    asserting = without_denial(gap, left, right, named, follows)
    if asserting is not None:
        gap, clause.ending = asserting
    elif not are_doubted(gap) and (whole or is_denied_around(sentence, left, right)):
        clause.ending = ""
    elif not are_doubted(gap) and ends_by_event(sentence, right):
        clause.ending = "former"
    else:
        return None
    claims = _between_names(sentence, units, index, gap, clause)
    clause.located = None
    return [replace(claim, polarity=Polarity.DENIED) for claim in claims]


def _phrase_between(gap: list[str]) -> tuple[list[str], _Trigger | None]:
    """The gap with its last phrase that states something; without its dates where it has one only then."""
    trigger = _triggers(gap)
    shorter = without_dates(gap) if trigger is None else []
    other = _triggers(shorter) if shorter else None
    return (gap, trigger) if other is None else (shorter, other)


def _between_names(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause
) -> list[Claim]:
    """The claims of two neighbours: by a verb or phrase, else by nouns alone."""
    left, right = units[index], units[index + 1]
    follows = "".join(sentence.lower[right.last : right.last + 1])
    gap, trigger = _phrase_between(without_partitive(without_comma_before_title(without_position(gap))))
    owned = owned_name(sentence, units, index)
    if owned is not None and owned.kind == "Person" and gap[-1:] == ["of"]:
        gap = without_office(gap)
        trigger = _triggers(gap)
    if trigger is not None and owned is not None:
        return _by_verb(sentence, left, owned, gap, trigger, clause)
    if trigger is not None and follows not in ("'s", "’s"):
        claims = _by_verb(sentence, left, right, gap, trigger, clause)
        shorter = without_last_role(gap, trigger[0])
        other = _triggers(shorter) if shorter else None
        if other is not None:
            claims += _by_verb(sentence, left, right, shorter, other, clause)
    else:
        claims = _by_running_place(gap, right, clause)
    if not claims and trigger is None:
        claims = (
            claims_of_place(sentence, left, right)
            or claims_of_maker(sentence, left, right, gap)
            or claims_of_part(sentence, left, right, gap, clause.running)
            or claims_of_extreme(sentence, left, right, gap)
            or claims_of_examples(sentence, left, right, gap)
            or claims_of_own_work(sentence, left, right, gap)
        )
        if not claims:
            claims = claims_of_larger_place(sentence, left, right, gap, clause.running)
            claims += claims_by_nouns(sentence, units, index, gap)
    return claims or claims_by_nouns(sentence, units, index, gap)


def _by_verb(
    sentence: Sentence,
    left: Unit,
    right: Unit,
    gap: list[str],
    trigger: _Trigger,
    clause: _Clause,
) -> list[Claim]:
    """The claims of the first reading of a phrase that has any."""
    start, readings = trigger
    passive = "by" in gap[start + 1 :] and any(pattern.transitive for _, pattern in readings)
    clause.located = None
    subject = _subject(sentence, left, gap, start, passive, clause)
    if subject is None:
        return []
    deduction = subject[1] + _modifies(sentence, gap, right)
    for end, pattern in readings:
        phrase = phrase_at(gap, (start, end))
        claims = [] if phrase is None else _read(sentence, pattern, phrase, subject[0], right)
        if claims:
            clause.located = subject[0] if claims[-1].relation == "located_in" else None
            return [replace(claim, confidence=claim.confidence - deduction) for claim in claims]
    return []


def _describes(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name says what something is: "is a Caldecott Medal Book"."""
    before = sentence.lower[max(0, unit.first - 2) : unit.first]
    return len(before) == 2 and before[0] in BE and before[1] in INDEFINITE


def _subject(
    sentence: Sentence, left: Unit, gap: list[str], start: int, passive: bool, clause: _Clause
) -> tuple[Unit, float] | None:
    """The unit that the phrase at this place of the gap is about, and a deduction for how unclear that is."""
    running = clause.running
    if passive and start == 0 and running is not None and _describes(sentence, left):
        # "X is a Caldecott Medal Book written by Ann": a name that says what X is, is not what was written.
        return running, 0.0
    # "married Bob Ray, founder of Acme": what stands right behind a name says who that is.
    if gap[:start] == [","] and gap[start] in NOMINAL - KIN and is_described(left, gap[start]):
        return left, 0.0
    # "is the tenth episode of the season and the 41st episode of": a second noun of what the name is.
    if gap[start] in NOMINAL and gap[0] in BE and gap[1] in ARTICLES and not is_oblique(sentence, left):
        joined = "and" in gap[:start] and not any(map(is_verb, gap[1:start])) and "," not in gap[:start]
        if joined and gap[gap.index("and") + 1] in ARTICLES:
            return left, 0.0
    # "pursued a career after graduating from Yale": of who the clause is about.
    if gap[start].endswith("ing") and gap[:start][-1:] in _BESIDES and running is not None:
        return running, 0.05
    return subject_of(sentence, left, gap[:start], passive, running)


def _modifies(sentence: Sentence, gap: list[str], right: Unit) -> float:
    """The deduction for a name that only qualifies the noun behind it: "proposed US2 tolls"."""
    follows = sentence.lower[right.last] if right.last < len(sentence.lower) else ""
    if follows in KIND_OF and not INDEFINITE.isdisjoint(gap[-3:]):
        return 0.4  # "sold the first SQL database": one of many that are called so
    return 0.15 if follows.isalpha() and not _closes(follows) else 0.0


def _by_running_place(gap: list[str], right: Unit, clause: _Clause) -> list[Claim]:
    """The claim of a further place of what the last claim placed: "was held in Paris and later in Rome"."""
    located = clause.located
    if located is None or located.kind not in ("Organization", "Event") or right.kind != "Location":
        return []
    return between(located, right, "located_in", 0.55) if gap in (["in"], [",", "in"], ["at"]) else []

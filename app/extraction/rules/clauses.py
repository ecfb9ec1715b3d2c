"""What one sentence states: its names in order, and what the words between two of them say."""

from collections.abc import Iterator
from dataclasses import replace

from app.extraction.rules.lexicon import KIND_OF, SUBJECT_VERBS
from app.extraction.rules.patterns import (
    BE,
    BREAKS,
    HAVE,
    HEDGES,
    NEGATIONS,
    NOMINAL,
    PREPOSITIONS,
    RELATIVE,
    ROLE_OF,
    TRIE,
    Pattern,
)
from app.extraction.rules.spans import Sentence
from app.extraction.rules.units import (
    ADVERBS,
    DETERMINERS,
    Claim,
    Unit,
    between,
    coordinated,
    is_oblique,
    is_verb,
    misfit,
    opens_clause,
)
from app.scoring.stop_words import STOP_WORDS, word_set

# How many words may stand between a verb and what it is about.
_REACH = 9
_FALLBACK_CONFIDENCE = 0.5
_FALLBACK_REACH = 6
_STOPS = frozenset((";", ":", "'s", ",", "(", ")"))
_PLACED = frozenset((kind, "Location") for kind in ("Organization", "Location", "Event"))
_AT = frozenset(("in", "at", "near", "on", "to", "outside", "from", "of"))
_LINKS = BE | word_set("became becomes remained remains as ( – —")
_COMPANIONS = word_set("others colleagues his her their partners friends students")
_ARTICLES = word_set("the a an its his her their")
_INDEFINITE = word_set("a an first")
_OBJECTS = word_set("her him it them us me")
# "created the optimizer of X" is not about X as a whole.
_WHOLE = frozenset(("created", "owns", "provides", "knows", "replaces", "deprecates"))
# A comma between two places says that one is in the other; more than two such in a row are a list.
_LONGEST_ADDRESS = 3


def _closes(word: str) -> bool:
    """Whether a name before this word is whole: the word is no noun that the name qualifies."""
    return word in STOP_WORDS or word in KIND_OF or word in TRIE or word.endswith(("ly", "ed", "ing"))


def _triggers(gap: list[str]) -> tuple[int, int, list[Pattern]] | None:
    """The last phrase of the gap that states something: where it begins and ends, and its readings."""
    best: tuple[int, int, list[Pattern]] | None = None
    at = 0
    while at < len(gap):
        entries = TRIE.get(gap[at])
        step = 1
        if entries is not None:
            matches = [
                (len(rest) + 1, found)
                for rest, found in entries
                if gap[at + 1 : at + 1 + len(rest)] == list(rest)
            ]
            # "the published design": a participle behind an article states nothing.
            described = at > 0 and gap[at - 1] in _ARTICLES
            if matches and not (described and matches[0][1].transitive):
                step = matches[0][0]
                best = (at, at + step, [found for _, found in matches])
        at += step
    return best


def _is_plain(word: str) -> bool:
    return word in ADVERBS or word.endswith("ly") or word.isdigit()


def _subject(
    sentence: Sentence, units: list[Unit], index: int, before: list[str], passive: bool, running: Unit | None
) -> tuple[Unit, float] | None:
    """Whom the verb is about, and a deduction for how unclear that is."""
    unit = units[index]
    oblique = is_oblique(sentence, unit)
    words = [word for word in before if not _is_plain(word)]
    if any(word in BREAKS or word in (";", ":") for word in words):
        return None
    if words and words[-1] in RELATIVE:
        if len(words) > 2 or (oblique and words == ["that"]):
            return None  # "at many universities that used X", "a ship of X that used Y"
        if words[-1] == "who" and unit.certain and unit.kind != "Person":
            # "a committer of X who worked at Y" is about the committer.
            return (running, 0.05) if running is not None and running.kind == "Person" else None
        if words[-1] == "who" and oblique and running is not None and running is not unit:
            return (running, 0.1) if running.kind == "Person" else None
        return unit, 0.0
    if any(word in RELATIVE for word in words[1:]):
        return None  # "dropped the cockpit that had been a feature of X"
    if before and before[0] in ("'s", "’s", "'"):
        return None
    joined = "and" in before or (words and words[-1] == ",")
    if "and" in before:
        own = before[len(before) - before[::-1].index("and") :]
        if any(word.isalpha() and not _is_plain(word) and word not in _COMPANIONS for word in own):
            return None  # "X liked it, and many banks used Y": the verb has a subject of its own
    if not words and not joined:
        return (running, 0.05) if oblique and running is not None else (unit, 0.0)
    if words[:1] == [","] and passive and oblique and sentence.lower[unit.first - 1] == "by":
        return None  # "designed by A, built by B"
    if words[:1] == [","] and (passive or (len(words) > 1 and words[1] in DETERMINERS | {"who", "which"})):
        return unit, 0.0
    if joined and (not passive or any(word in BE for word in before)):
        return (running, 0.0) if running is not None else (unit, 0.1)
    if passive and words[:1] != [","] and not any(word in BE for word in before):
        # "designed textiles released by Y": it is the textiles that Y released.
        return None
    if running is not None and running is not unit and (oblique or joined):
        return running, 0.1
    return unit, 0.0 if any(word in BE for word in before) or words[:1] == [","] else 0.1


def _is_linked(before: list[str]) -> bool:
    """Whether a noun behind these words says what the subject is, and is not the object of a verb."""
    for at in range(len(before) - 1, -1, -1):
        word = before[at]
        if word in _LINKS or (word == "," and at == 0):
            return True
        described = at > 0 and (before[at - 1] in DETERMINERS or before[at - 1].endswith("ly"))
        if is_verb(word) and not (described and word.endswith("ed")):
            return False
    return True


def _read(
    pattern: Pattern, gap: list[str], span: tuple[int, int], subject: Unit, target: Unit
) -> Iterator[Claim]:
    """The claims of one reading of a phrase; none where its shape does not fit."""
    start, end = span
    rest = gap[end:]
    if len(rest) > _REACH or any(word in BREAKS or word in (";", ":") for word in rest):
        return
    if rest and rest[0] in _OBJECTS:
        return  # "made her a fellow"
    if not pattern.transitive and gap[start] in NOMINAL and not _is_linked(gap[:start]):
        return
    preposition = next((word for word in reversed(rest) if word in PREPOSITIONS), None)
    helped = any(word in BE for word in gap[max(0, start - 4) : start])
    deduction = 0.0 if len(rest) <= 4 else 0.1
    if pattern.locating and target.kind == "Location" and preposition in _AT:
        sure = pattern.confidence if pattern.relation == "located_in" else 0.6
        # "was founded in Paris" says where it is; "founded a school in Paris" does not.
        passive = (helped or gap[:1] == [","]) and rest[0] in _AT
        if pattern.relation == "located_in" or (passive and subject.kind not in ("Person", "Location")):
            yield from between(
                subject, target, "located_in", sure - (0.0 if target.certain else 0.1) - deduction
            )
        return
    if pattern.locating and pattern.relation == "located_in":
        if (
            0 < len(rest) <= 2
            and rest[0] in _AT
            and not target.certain
            and pattern.confidence > 0.8
            and target.kind == "Concept"
        ):
            yield from between(subject, target, "located_in", 0.6)
        return
    source, goal = subject, target
    if pattern.transitive:
        if preposition == "by" and gap[start].endswith("s"):
            return  # "designs by Y" is a noun
        if preposition == "by" and rest and (helped or rest[0] == "by" or gap[:1] == [","] or start > 0):
            after = rest[len(rest) - 1 - rest[::-1].index("by") + 1 :]
            if len(after) > 6:
                return
            source, goal = target, subject
        elif helped or preposition is not None or "," in rest or any(word in RELATIVE for word in rest):
            # "developed at Berkeley": who did it stands behind "at", less surely.
            if pattern.relation == "created" and preposition == "at" and target.kind == "Organization":
                yield from between(target, subject, "created", 0.6 - deduction)
            return
        elif "of" in rest:
            if pattern.relation in _WHOLE:
                return
            deduction += 0.15
    elif "," in rest or preposition is not None or any(word in RELATIVE for word in rest):
        return
    if pattern.reversed:
        source, goal = goal, source
    unfit = misfit(source, pattern.subjects) + misfit(goal, pattern.objects)
    if unfit < 1.0:
        yield from between(source, goal, pattern.relation, pattern.confidence - unfit - deduction)


def _by_object(sentence: Sentence, gap: list[str], left: Unit, right: Unit) -> Iterator[Claim]:
    """ "X, which Y made in 1990": Y is the subject and X the object of one verb that has no other object."""
    if gap not in ([",", "which"], ["which"], ["that"], [",", "that"]) or is_oblique(sentence, left):
        return
    at = right.last
    while at < len(sentence.lower) and _is_plain(sentence.lower[at]):
        if sentence.lower[at] in BE:
            return
        at += 1
    follows = sentence.lower[at + 1] if at + 1 < len(sentence.lower) else "."
    if at < len(sentence.lower) and (follows in PREPOSITIONS or not follows[0].isalnum()):
        for rest, pattern in TRIE.get(sentence.lower[at], ()):
            if not rest and pattern.transitive and not pattern.reversed:
                yield from between(right, left, pattern.relation, pattern.confidence - 0.15)


def _is_address(sentence: Sentence, units: list[Unit], index: int) -> bool:
    """Whether the places joined by commas here are few enough to be each in the next one."""
    count = 2
    for step in (-1, 1):
        at = index if step < 0 else index + 1
        while 0 <= at + step < len(units) and count <= _LONGEST_ADDRESS:
            left, right = sorted((at, at + step))
            if sentence.lower[units[left].last : units[right].first] != [","]:
                break
            count += 1
            at += step
    return count <= _LONGEST_ADDRESS


def _by_nouns(gap: list[str], left: Unit, right: Unit, follows: str, *, address: bool) -> Iterator[Claim]:
    """Claims without a verb: "Oracle's founder Larry Ellison", "Paris, France", "Wong at Berkeley"."""
    possessive = gap[:1] in (["'s"], ["’s"], ["'"])
    nouns = [word for word in (gap[1:] if possessive else gap) if word not in ("and", ",", "the")]
    if nouns and len(nouns) <= 4 and right.kind == "Person" and (possessive or len(nouns) <= 2):
        for role in nouns:
            if role in ROLE_OF and not any(word in PREPOSITIONS or word == "of" for word in nouns):
                relation, confidence = ROLE_OF[role]
                if relation != "works_for" or left.kind != "Person":
                    yield from between(right, left, relation, confidence)
        return
    if (
        possessive
        and len(gap) <= 5
        and left.kind == "Organization"
        and not any(w in PREPOSITIONS for w in gap)
    ):
        if right.kind in ("Product", "Technology", "API") and right.certain:
            yield from between(left, right, "provides", 0.6)
    elif gap == [","] and left.kind == right.kind == "Location" and follows not in ("and", "or") and address:
        yield from between(left, right, "located_in", 0.7)
    elif gap in (["in"], ["in", "the"]) and (left.kind, right.kind) in _PLACED:
        yield from between(left, right, "located_in", 0.65)
    elif gap == [","] and left.kind == "Organization" and right.kind == "Location" and right.certain:
        yield from between(left, right, "located_in", 0.55)
    elif gap in (["at"], ["at", "the"]) and left.kind == "Person" and right.kind == "Organization":
        yield from between(left, right, "works_for", 0.6)
    elif gap in (["of"], ["of", "the"], ["from"]) and left.kind == "Person" and right.kind == "Organization":
        yield from between(left, right, "works_for", 0.55)


def claims_of_sentence(sentence: Sentence, found: list[Unit]) -> Iterator[Claim]:
    """All claims between the units of one sentence, in reading order; a pair may be claimed twice."""
    units = coordinated(sentence, found)
    lower = sentence.lower
    running: Unit | None = None
    located: Unit | None = None
    denied = False
    opening = [opens_clause(sentence, unit) for unit in units]
    for index in range(len(units) - 1):
        left, right = units[index], units[index + 1]
        if opening[index] or (running is None and not is_oblique(sentence, left)):
            running, located = left, None
        gap = lower[left.last : right.first]
        if len(gap) > 40:
            running, located = None, None
            continue
        follows = lower[right.last] if right.last < len(lower) else ""
        doubtful = denied or (
            any((word in NEGATIONS or word in HEDGES) for word in gap) and "only" not in gap
        )
        # "He denied that she founded it": what follows is in doubt to the end.
        denied = doubtful and (denied or right.most < 1 or "that" in gap)
        if doubtful:
            located = None
            continue
        if opening[index + 1]:
            # "A made B, and C made D": nothing is said of B and C.
            located = None
            yield from _by_object(sentence, gap, left, right)
            continue
        claimed = False
        trigger = _triggers(gap)
        # "proposed US2 tolls": the name only qualifies what the verb is about.
        modifier = 0.15 if follows.isalpha() and not _closes(follows) else 0.0
        if follows in KIND_OF and not _INDEFINITE.isdisjoint(gap[-3:]):
            modifier = 0.4  # "sold the first SQL database": one of many that are called so
        if trigger is not None and follows not in ("'s", "’s"):
            start, end, readings = trigger
            passive = any(pattern.transitive for pattern in readings) and "by" in gap[end:]
            subject = _subject(sentence, units, index, gap[:start], passive, running)
            located = None
            if subject is not None:
                for pattern in readings:
                    for claim in _read(pattern, gap, (start, end), subject[0], right):
                        claimed = True
                        located = subject[0] if claim.relation == "located_in" else None
                        yield replace(claim, confidence=claim.confidence - subject[1] - modifier)
                    if claimed:
                        break
        elif (
            located is not None
            and gap in (["in"], [",", "in"], ["at"])
            and right.kind == "Location"
            and located.kind in ("Organization", "Event")
        ):
            claimed = True
            yield from between(located, right, "located_in", 0.55)
        if not claimed:
            for claim in _by_nouns(
                gap, left, right, follows, address=gap == [","] and _is_address(sentence, units, index)
            ):
                claimed = True
                yield claim
        if (
            not claimed
            and trigger is None
            and _links(gap)
            and left is running
            and left.certain
            and right.certain
        ):
            yield from between(left, right, "related_to", _FALLBACK_CONFIDENCE)


def _links(gap: list[str]) -> bool:
    """Whether a short gap holds a verb at all, and neither a new clause nor a possessive."""
    if not 1 <= len(gap) <= _FALLBACK_REACH or any(word in BREAKS or word in _STOPS for word in gap):
        return False
    return any(
        (word in SUBJECT_VERBS or (word.endswith("ed") and len(word) > 4))
        and word not in HAVE
        and word not in KIND_OF
        and (word not in STOP_WORDS or word in BE)
        for word in gap
    )

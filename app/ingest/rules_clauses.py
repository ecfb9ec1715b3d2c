"""What one sentence states: its names in order, and what the words between two of them say."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.graph.names import STOP_WORDS, word_set
from app.ingest.rules_patterns import (
    BE,
    BREAKS,
    HAVE,
    HEDGES,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVE,
    ROLE_OF,
    TRIE,
    Pattern,
)
from app.ingest.rules_spans import Sentence
from app.ingest.rules_words import KIND_OF, SUBJECT_VERBS

# How many words may stand between a verb and what it is about.
_REACH = 9
_FALLBACK_CONFIDENCE = 0.5
_FALLBACK_REACH = 6
_STOPS = frozenset((";", ":", "'s", ",", "(", ")"))
_ADVERBS = word_set(
    "also later then first soon originally recently subsequently eventually now still once again both has have had"
    " is was are were been be being and further next currently jointly thereby since already"
)
_DETERMINERS = word_set("the a an its his her their this that one some several many all first new")
_PLACED = frozenset((kind, "Location") for kind in ("Organization", "Location", "Event"))
_AT = frozenset(("in", "at", "near", "on", "to", "outside", "from", "of"))


@dataclass(slots=True)
class Unit:
    """Words `first` to `last` (exclusive) that name an entity, or several in a row ("A, B and C").

    `most` is the most that a claim may weigh whose end this is: less than 1 behind a pronoun.
    """

    first: int
    last: int
    entities: list[int]
    kind: str
    certain: bool
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement between two entities, by their positions in the chunk's list."""

    source: int
    target: int
    relation: str
    confidence: float


def _fits(unit: Unit, kinds: frozenset[str] | None) -> float:
    """0 where the kinds agree, a deduction where the unit's kind is a guess, 1 where they do not."""
    if kinds is None or unit.kind in kinds:
        return 0.0
    return 1.0 if unit.certain else 0.1


def _between(source: Unit, target: Unit, relation: str, confidence: float) -> Iterator[Claim]:
    confidence = min(confidence, source.most, target.most)
    for start in source.entities:
        for end in target.entities:
            if start != end:
                yield Claim(start, end, relation, confidence)


def _alike(a: Unit, b: Unit) -> bool:
    """Whether two units can be said of in one breath: of one kind, or one of them of no sure kind."""
    return a.kind == b.kind or (not (a.certain and b.certain) and "Location" not in (a.kind, b.kind))


def _coordinated(sentence: Sentence, units: list[Unit]) -> list[Unit]:
    """Units joined by commas and "and" become one, where they are of one kind."""
    groups: list[Unit] = []
    index = 0
    while index < len(units):
        group = [units[index]]
        while index + 1 < len(units):
            nxt = units[index + 1]
            gap = sentence.lower[group[-1].last : nxt.first]
            if gap not in (["and"], [","], [",", "and"], ["&"]) or not _alike(group[0], nxt):
                break
            # "Paris, France" is a place in a place; "Britain, France and Spain" is a list.
            if gap == [","] and nxt.kind == "Location" and not _is_list(sentence, units, index):
                break
            group.append(nxt)
            index += 1
        first = group[0]
        groups.append(
            Unit(
                first.first,
                group[-1].last,
                list(dict.fromkeys(entity for unit in group for entity in unit.entities)),
                first.kind,
                first.certain,
                min(unit.most for unit in group),
            )
        )
        index += 1
    return groups


def _closes(word: str) -> bool:
    """Whether a name before this word is whole: the word is no noun that the name qualifies."""
    return word in STOP_WORDS or word in KIND_OF or word in TRIE or word.endswith(("ly", "ed", "ing"))


def _is_list(sentence: Sentence, units: list[Unit], index: int) -> bool:
    """Whether the places from here on are joined by commas and at last by "and"."""
    for left, right in zip(units[index : index + 12], units[index + 1 : index + 13], strict=False):
        gap = sentence.lower[left.last : right.first]
        if right.kind != "Location":
            return False
        if gap in (["and"], [",", "and"], ["&"], [",", "and", "the"], ["and", "the"]):
            return True
        if gap != [","]:
            return False
    return False


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
            if matches:
                step = matches[0][0]
                best = (at, at + step, [found for _, found in matches])
        at += step
    return best


def _is_oblique(sentence: Sentence, unit: Unit) -> bool:
    """Whether a preposition governs the unit, so that the next verb is not about it."""
    at = unit.first - 1
    while at >= 0 and sentence.lower[at] in _DETERMINERS:
        at -= 1
    return at >= 0 and (sentence.lower[at] in PREPOSITIONS or sentence.lower[at] == "of")


def _is_plain(word: str) -> bool:
    return word in _ADVERBS or word.endswith("ly") or word.isdigit()


def _subject(
    sentence: Sentence, units: list[Unit], index: int, before: list[str], passive: bool, running: Unit | None
) -> tuple[Unit, float] | None:
    """Whom the verb is about, and a deduction for how unclear that is."""
    unit = units[index]
    oblique = _is_oblique(sentence, unit)
    words = [word for word in before if not _is_plain(word)]
    if any(word in BREAKS for word in words):
        return None
    if words and words[-1] in RELATIVE:
        return (unit, 0.0) if len(words) <= 2 else (unit, 0.2)
    if before and before[0] in ("'s", "’s", "'"):
        return None
    joined = "and" in before or (words and words[-1] == ",")
    if not words and not joined:
        return (running, 0.05) if oblique and running is not None else (unit, 0.0)
    if words[:1] == [","] and (passive or (len(words) > 1 and words[1] in _DETERMINERS | {"who", "which"})):
        return unit, 0.0
    if ";" in words:
        return None
    if joined and (not passive or any(word in BE for word in before)):
        return (running, 0.0) if running is not None else (unit, 0.1)
    if passive and words[:1] != [","] and not any(word in BE for word in before):
        # "designed textiles released by Y": it is the textiles that Y released.
        return None
    if running is not None and running is not unit and (oblique or joined):
        return running, 0.1
    return unit, 0.0 if any(word in BE for word in before) or words[:1] == [","] else 0.1


def _read(
    pattern: Pattern, gap: list[str], span: tuple[int, int], subject: Unit, target: Unit
) -> Iterator[Claim]:
    """The claims of one reading of a phrase; none where its shape does not fit."""
    start, end = span
    rest = gap[end:]
    if len(rest) > _REACH or any(word in BREAKS or word in (";", ":") for word in rest):
        return
    preposition = next((word for word in reversed(rest) if word in PREPOSITIONS), None)
    helped = any(word in BE for word in gap[max(0, start - 4) : start])
    deduction = 0.0 if len(rest) <= 4 else 0.1
    if pattern.locating and target.kind == "Location" and preposition in _AT:
        sure = pattern.confidence if pattern.relation == "located_in" else 0.6
        if pattern.relation == "located_in" or subject.kind not in ("Person", "Location"):
            yield from _between(
                subject, target, "located_in", sure - (0.0 if target.certain else 0.1) - deduction
            )
        return
    if pattern.locating and pattern.relation == "located_in":
        if (
            rest
            and rest[0] in _AT
            and not target.certain
            and pattern.confidence > 0.8
            and target.kind == "Concept"
        ):
            yield from _between(subject, target, "located_in", 0.6)
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
                yield from _between(target, subject, "created", 0.6 - deduction)
            return
        elif "of" in rest:
            deduction += 0.15
    elif "," in rest or preposition is not None or any(word in RELATIVE for word in rest):
        return
    if pattern.reversed:
        source, goal = goal, source
    misfit = _fits(source, pattern.subjects) + _fits(goal, pattern.objects)
    if misfit >= 1.0:
        return
    if (
        goal.kind == "Location"
        and goal.certain
        and pattern.relation in ("created", "uses", "provides", "knows")
    ):
        return
    yield from _between(source, goal, pattern.relation, pattern.confidence - misfit - deduction)


def _by_nouns(gap: list[str], left: Unit, right: Unit, follows: str) -> Iterator[Claim]:
    """Claims without a verb: "Oracle's founder Larry Ellison", "Paris, France", "Wong at Berkeley"."""
    possessive = gap[:1] in (["'s"], ["’s"], ["'"])
    nouns = [word for word in (gap[1:] if possessive else gap) if word not in ("and", ",", "the")]
    if nouns and len(nouns) <= 4 and right.kind == "Person" and (possessive or len(nouns) <= 2):
        for role in nouns:
            if role in ROLE_OF and not any(word in PREPOSITIONS or word == "of" for word in nouns):
                relation, confidence = ROLE_OF[role]
                if relation != "works_for" or left.kind != "Person":
                    yield from _between(right, left, relation, confidence)
        return
    if (
        possessive
        and len(gap) <= 5
        and left.kind == "Organization"
        and not any(w in PREPOSITIONS for w in gap)
    ):
        if right.kind in ("Product", "Technology", "API") and right.certain:
            yield from _between(left, right, "provides", 0.6)
    elif gap == [","] and left.kind == right.kind == "Location" and follows not in ("and", "or"):
        yield from _between(left, right, "located_in", 0.7)
    elif gap in (["in"], ["in", "the"]) and (left.kind, right.kind) in _PLACED:
        yield from _between(left, right, "located_in", 0.65)
    elif gap == [","] and left.kind == "Organization" and right.kind == "Location" and right.certain:
        yield from _between(left, right, "located_in", 0.55)
    elif gap in (["at"], ["at", "the"]) and left.kind == "Person" and right.kind == "Organization":
        yield from _between(left, right, "works_for", 0.6)
    elif gap in (["of"], ["of", "the"], ["from"]) and left.kind == "Person" and right.kind == "Organization":
        yield from _between(left, right, "works_for", 0.55)


def claims_of_sentence(sentence: Sentence, found: list[Unit]) -> Iterator[Claim]:
    """All claims between the units of one sentence, in reading order; a pair may be claimed twice."""
    units = _coordinated(sentence, found)
    lower = sentence.lower
    running: Unit | None = None
    located: Unit | None = None
    denied = False
    for index in range(len(units) - 1):
        left, right = units[index], units[index + 1]
        if running is None and not _is_oblique(sentence, left):
            running = left
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
        claimed = False
        trigger = None if doubtful else _triggers(gap)
        # "proposed US2 tolls": the name only qualifies what the verb is about.
        modifier = 0.15 if follows.isalpha() and not _closes(follows) else 0.0
        if trigger is not None and follows not in ("'s", "’s"):
            start, end, readings = trigger
            passive = any(pattern.transitive for pattern in readings) and "by" in gap[end:]
            subject = _subject(sentence, units, index, gap[:start], passive, running)
            if subject is not None:
                for pattern in readings:
                    for claim in _read(pattern, gap, (start, end), subject[0], right):
                        claimed = True
                        yield Claim(
                            claim.source,
                            claim.target,
                            claim.relation,
                            claim.confidence - subject[1] - modifier,
                        )
                    if claimed:
                        break
                located = subject[0] if any(pattern.locating for pattern in readings) else None
        elif (
            located is not None
            and not doubtful
            and gap in (["in"], [",", "in"], ["at"])
            and right.kind == "Location"
            and located.kind in ("Organization", "Event")
        ):
            claimed = True
            yield from _between(located, right, "located_in", 0.55)
        if not claimed and not doubtful:
            for claim in _by_nouns(gap, left, right, follows):
                claimed = True
                yield claim
        if (
            not claimed
            and not doubtful
            and trigger is None
            and _links(gap)
            and left is running
            and left.certain
            and right.certain
        ):
            yield from _between(left, right, "related_to", _FALLBACK_CONFIDENCE)


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

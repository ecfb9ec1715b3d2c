"""The oracle's faulty twin: it reads as perfectly, and each of its answers has the same fault."""

import json
import unicodedata
import zlib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations, pairwise
from typing import Any

from app.documents.sentences import split_sentences
from app.domain.possible_ends import can_have_ends
from app.domain.relation_types import CHANGES_SOURCE, CHANGES_TARGET, DEFAULT_RELATION_TYPES
from app.graph.validity import SYMMETRIC_RELATIONS
from app.llm.prompts.claim_check import ClaimVerdict
from app.llm.prompts.fence import parse_fenced_passages
from tests.oracle.gold import GoldEntity, GoldText
from tests.oracle.oracle import Entry, OracleAnswerer

FOREIGN_NAME, FOREIGN_YEAR = "Quillfeather Bronwick", "1173"
CHANGING = CHANGES_SOURCE | CHANGES_TARGET
COMMON_NOUNS = ("engineer", "city council", "patients", "совет", "врача", "οι κάτοικοι")
"""What texts on a topic name besides, and are not about."""


class Fault(StrEnum):
    """One way to be wrong, or to be right in an unwanted form."""

    WRONG_QUOTE = "wrong quote"
    QUOTE_OF_SOMETHING_ELSE = "quote of something else"
    FOREIGN_NAME = "foreign name"
    RENAMED = "foreign name with the right aliases"
    INVENTED_RELATION = "invented relation"
    UNKNOWN_RELATION = "unknown relation"
    OTHER_LANGUAGE = "other language"
    COMMON_NOUN = "common noun"
    UNSTATED_DENIAL = "unstated denial"
    UNSTATED_DATE = "unstated date"
    UNSTATED_REPORT = "unstated report"
    UNSTATED_CHANGE = "unstated change"
    EXCHANGED_ENDS = "exchanged ends"
    INVENTED_IN_SENTENCE = "invented relation of two things in one sentence"
    OTHER_RELATION = "another relation type"
    DENIED_BY_ANY_WORD = "denial by any word of the quote"
    CHANGED_BY_ANY_WORD = "change by any word of the quote"
    REPORTED_BY_ANY_WORD = "report by any word of the quote"
    EXCHANGED = "exchanged passages"
    TRUNCATED = "truncated"
    REORDERED = "reordered"
    CHATTY = "chatty"
    MARKDOWN = "markdown around JSON"
    THINKING = "thoughts with braces before JSON"
    TRAILING_COMMAS = "trailing commas"
    BARE_LIST = "a list without its object"
    NULLS = "null for what is empty"
    NUMBERS_IN_WORDS = "numbers as strings"
    DECOMPOSED = "letters apart from their marks"
    OTHER_PUNCTUATION = "punctuation of another width"
    WITHOUT_STOPS = "quotes without their last stop"
    OTHER_CASE = "fixed words in capitals"


BELIEVABLE = (
    Fault.INVENTED_IN_SENTENCE,
    Fault.OTHER_RELATION,
    Fault.DENIED_BY_ANY_WORD,
    Fault.REPORTED_BY_ANY_WORD,
    Fault.CHANGED_BY_ANY_WORD,
    Fault.EXCHANGED_ENDS,
)
"""Faults whose words all stand in the text: only who reads it again can refuse them."""
FORMS = frozenset(
    {
        Fault.REORDERED,
        Fault.CHATTY,
        Fault.MARKDOWN,
        Fault.THINKING,
        Fault.TRAILING_COMMAS,
        Fault.BARE_LIST,
        Fault.NULLS,
        Fault.NUMBERS_IN_WORDS,
        Fault.DECOMPOSED,
        Fault.OTHER_PUNCTUATION,
        Fault.WITHOUT_STOPS,
        Fault.OTHER_CASE,
    }
)
"""Faults of form: what is said is right, and nothing of it may be lost."""


class FaultyOracle(OracleAnswerer):
    """An oracle with a fault; `given` counts the entries, or the answers, that have it.

    With `beside_right` wrong relations are answered beside the right ones, else in their place. It judges
    claims honestly when it is asked about them again, but for `misjudged` of them.
    """

    def __init__(
        self,
        texts: Sequence[GoldText],
        fault: Fault | None,
        *,
        lists_forms: bool = False,
        misjudged: float = 0.0,
        beside_right: bool = False,
    ) -> None:
        super().__init__(texts, lists_forms=lists_forms)
        self.fault = fault
        self.misjudged = misjudged
        self.beside_right = beside_right
        self.given = 0

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """The oracle's answer, spoilt."""
        answered = super().answer(messages)
        if self.fault is None or not isinstance(answered, Mapping) or "passages" not in answered:
            return answered
        whole = json.dumps(answered, ensure_ascii=False)
        if (changed := _CHANGED_VALUES.get(self.fault)) is not None:
            return {"passages": _with_values(answered["passages"], changed)}
        if (form := _FORMS_OF_JSON.get(self.fault)) is not None:
            return form(whole)
        match self.fault:
            case Fault.TRUNCATED:
                self.given += len(
                    [passage for message in messages for passage in parse_fenced_passages(message["content"])]
                )
                return whole[: len(whole) // 2]
            case Fault.REORDERED:
                entries = [dict(reversed(passage.items())) for passage in reversed(answered["passages"])]
                return {"passages": entries}
            case Fault.BARE_LIST:
                return json.dumps(answered["passages"], ensure_ascii=False)
            case Fault.EXCHANGED:
                return self._exchanged(answered)
        return answered

    def _exchanged(self, answered: Mapping[str, Any]) -> Mapping[str, Any]:
        entries = answered["passages"]
        turned = [*entries[1:], *entries[:1]]
        if len(entries) == 1:
            return {"passages": [entries[0] | {"entities": [], "relations": []}]}
        self.given += sum(len(entry.get("relations") or entry.get("entities", ())) for entry in entries)
        return {"passages": [entry | {"id": number} for number, entry in enumerate(turned, 1)]}

    def verdicts_on(self, passage: str) -> list[Entry]:
        """Honest verdicts, some of them turned round."""
        verdicts = super().verdicts_on(passage)
        for entry in verdicts:
            drawn = zlib.crc32(f"{entry['claim']} {passage}".encode()) / 2**32
            if drawn < self.misjudged:
                entry["verdict"] = (
                    ClaimVerdict.STATED
                    if entry["verdict"] is ClaimVerdict.NOT_STATED
                    else ClaimVerdict.NOT_STATED
                )
        return verdicts

    def entities_of(self, gold: GoldText, text: str) -> list[Entry]:
        """What the text names, and for faults of names what it does not."""
        right = super().entities_of(gold, text)
        if self.fault is Fault.FOREIGN_NAME:
            self.given += 1
            return [*right, {"name": FOREIGN_NAME, "type": "Person", "aliases": [], "sense": ""}]
        if self.fault is Fault.COMMON_NOUN:
            nouns = [noun for noun in COMMON_NOUNS if noun in text]
            self.given += len(nouns)
            return [*right, *({"name": noun, "type": "Person", "aliases": [], "sense": ""} for noun in nouns)]
        if self.fault is Fault.RENAMED:
            self.given += len(right)
            return [
                entry | {"name": FOREIGN_NAME, "aliases": [entry["name"], *entry["aliases"]]}
                for entry in right
            ]
        if self.fault is Fault.OTHER_LANGUAGE:
            self.given += len(right)
            return [entry | {"name": in_other_script(entry["name"]), "aliases": []} for entry in right]
        return right

    def relations_of(self, gold: GoldText, text: str, label_of: Mapping[int, str]) -> list[Entry]:
        """What the text states, each with the fault."""
        right = super().relations_of(gold, text, label_of)
        if self.fault is None:
            return right
        if self.fault is Fault.INVENTED_RELATION:
            wrong = _invented(gold, text, label_of)
        elif self.fault is Fault.INVENTED_IN_SENTENCE:
            wrong = _invented_in_sentences(gold, text, label_of)
        else:
            wrong = [spoilt for entry in right if (spoilt := self._spoilt(entry, gold, text)) is not None]
        if wrong != right:
            self.given += len(wrong)
        return [*right, *wrong] if self.beside_right else wrong

    def _spoilt(self, entry: Entry, gold: GoldText, text: str) -> Entry | None:
        quote = entry["quote"]
        match self.fault:
            case Fault.WRONG_QUOTE:
                middle = len(quote) // 2
                return entry | {"quote": f"{quote[middle:]} {quote[:middle]}"}
            case Fault.QUOTE_OF_SOMETHING_ELSE:
                others = [sentence for sentence in _sentences(text) if sentence not in quote]
                ends = [
                    entity for entity in gold.entities if {entry["from"], entry["to"]} & set(entity.names)
                ]
                other = next((sentence for sentence in others if not _names_all(ends, sentence)), None)
                return None if other is None else entry | {"quote": other}
            case Fault.FOREIGN_NAME:
                return entry | {"to": FOREIGN_NAME}
            case Fault.UNKNOWN_RELATION:
                return entry | {"relation": "quorbled_with"}
            case Fault.OTHER_LANGUAGE:
                return entry | {"quote": in_other_script(quote)}
            case Fault.UNSTATED_DENIAL:
                return entry | {"polarity": "denied"} if entry["polarity"] == "asserted" else None
            case Fault.UNSTATED_REPORT:
                return entry | {"polarity": "reported", "said_by": FOREIGN_NAME}
            case Fault.UNSTATED_CHANGE:
                return entry | {"changed_by": FOREIGN_NAME}
            case Fault.OTHER_RELATION:
                other = _other_relation(entry, gold)
                return None if other is None else entry | {"relation": other}
            case Fault.DENIED_BY_ANY_WORD | Fault.CHANGED_BY_ANY_WORD | Fault.REPORTED_BY_ANY_WORD:
                return _with_any_word(entry, gold, self.fault)
            case Fault.EXCHANGED_ENDS:
                if entry["relation"] in SYMMETRIC_RELATIONS or _is_gold(entry, gold, reversed_ends=True):
                    return None
                return entry | {
                    "from": entry["to"],
                    "to": entry["from"],
                    "from_words": entry["to_words"],
                    "to_words": entry["from_words"],
                }
            case Fault.UNSTATED_DATE:
                return entry | {"valid_from": FOREIGN_YEAR, "valid_to": None}
            case Fault.WITHOUT_STOPS:
                return entry | {"quote": quote.rstrip(".。।")}
            case Fault.OTHER_CASE:
                return entry | {"polarity": entry["polarity"].upper(), "relation": entry["relation"].upper()}
        return entry


def _invented(gold: GoldText, text: str, label_of: Mapping[int, str]) -> list[Entry]:
    """Relations between neighbours in the list that no sentence names together, quoting the first alone."""
    stated = {frozenset((relation.source, relation.target)) for relation in gold.relations}
    places = sorted(label_of)
    entries = []
    for one, other in pairwise(places):
        ends = (gold.entities[one], gold.entities[other])
        sentences = _sentences(text)
        if {one, other} in stated or any(_names_all(ends, sentence) for sentence in sentences):
            continue
        quote = next((sentence for sentence in sentences if _names_all(ends[:1], sentence)), None)
        if quote is not None:
            entries.append(
                {
                    "from": label_of[one],
                    "to": label_of[other],
                    "relation": "owns",
                    "polarity": "asserted",
                    "valid_from": None,
                    "valid_to": None,
                    "confidence": 0.95,
                    "quote": quote,
                }
            )
    return entries


def _invented_in_sentences(gold: GoldText, text: str, label_of: Mapping[int, str]) -> list[Entry]:
    """A relation between two things that one sentence names and the text does not relate, quoting it."""
    related = {frozenset((relation.source, relation.target)) for relation in gold.relations}
    entries = []
    for one, other in combinations(sorted(label_of), 2):
        ends = (gold.entities[one], gold.entities[other])
        quote = next((sentence for sentence in _sentences(text) if _names_all(ends, sentence)), None)
        if quote is not None and {one, other} not in related:
            entries.append(
                {
                    "from": label_of[one],
                    "to": label_of[other],
                    "relation": "related_to",
                    "polarity": "asserted",
                    "confidence": 0.95,
                    "quote": quote,
                }
            )
    return entries


def _other_relation(entry: Entry, gold: GoldText) -> str | None:
    """A type that the text does not state of these two, and whose ends may be what they are."""
    ends = tuple(
        next((entity.type for entity in gold.entities if entity.is_called(entry[end])), None)
        for end in ("from", "to")
    )
    return next(
        (
            relation_type
            for relation_type in DEFAULT_RELATION_TYPES
            if relation_type != entry["relation"]
            and can_have_ends(relation_type, *ends)
            and not _is_gold(entry | {"relation": relation_type}, gold)
            and not _is_gold(entry | {"relation": relation_type}, gold, reversed_ends=True)
        ),
        None,
    )


def _is_gold(entry: Entry, gold: GoldText, *, reversed_ends: bool = False) -> bool:
    """Whether the text states this relation of these ends, or of them the other way round."""
    source, target = (entry["to"], entry["from"]) if reversed_ends else (entry["from"], entry["to"])
    return any(
        relation.relation == entry["relation"]
        and gold.entities[relation.source].is_called(source)
        and gold.entities[relation.target].is_called(target)
        for relation in gold.relations
    )


def _with_any_word(entry: Entry, gold: GoldText, fault: Fault) -> Entry | None:
    """An asserted relation turned into a denial, a report or a change by a word of its quote."""
    names = {word for entity in gold.entities for name in entity.names for word in name.split()}
    word = next((word for word in entry["quote"].split() if word.isalpha() and word not in names), None)
    if word is None or entry["polarity"] != "asserted" or entry["changed_by"]:
        return None
    if fault is Fault.DENIED_BY_ANY_WORD:
        return entry | {"polarity": "denied", "denied_by": word}
    if fault is Fault.REPORTED_BY_ANY_WORD:
        return entry | {"polarity": "reported", "said_by": word}
    return entry | {"changed_by": word} if entry["relation"] in CHANGING else None


_OTHER_PUNCTUATION = str.maketrans("，。（）：「」", ',.():""')


def _with_values(value: Any, changed: Callable[[Any], Any]) -> Any:
    """The same object, each of its plain values changed."""
    if isinstance(value, Mapping):
        return {name: _with_values(part, changed) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_values(part, changed) for part in value]
    return changed(value)


def _of_texts(changed: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: changed(value) if isinstance(value, str) else value


_CHANGED_VALUES: Mapping[Fault, Callable[[Any], Any]] = {
    Fault.NULLS: lambda value: None if value == "" else value,
    Fault.NUMBERS_IN_WORDS: lambda value: str(value) if isinstance(value, int | float) else value,
    Fault.DECOMPOSED: _of_texts(lambda text: unicodedata.normalize("NFD", text)),
    Fault.OTHER_PUNCTUATION: _of_texts(lambda text: text.translate(_OTHER_PUNCTUATION)),
}
"""Faults that every value of an answer has alike."""


_FORMS_OF_JSON: Mapping[Fault, Callable[[str], str]] = {
    Fault.CHATTY: lambda whole: f"Of course! Here is what I found:\n{whole}\nIs there anything else?",
    Fault.MARKDOWN: lambda whole: f"```json\n{whole}\n```",
    Fault.THINKING: lambda whole: (
        f'<think>They want {{"passages": [...]}}, so {{one}} each.</think>\n{whole}'
    ),
    Fault.TRAILING_COMMAS: lambda whole: whole.replace("}]", "},]").replace('"}', '",}'),
}
"""Faults of form that the whole answer has."""


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def _names_all(entities: Sequence[GoldEntity], sentence: str) -> bool:
    return all(entity.names_in(sentence) for entity in entities)


def in_other_script(text: str) -> str:
    """The text with its letters exchanged for those of a script that it does not use."""
    first = 0x0430 if text.isascii() else 0x0561
    return "".join(chr(first + ord(char) % 30) if char.isalpha() else char for char in text)

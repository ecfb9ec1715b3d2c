"""A model that reads perfectly: it answers our prompts with what the gold annotation of a passage says.

`ModelDouble(OracleAnswerer(texts))` serves it by OpenAI's protocol on the loopback. Entities, relations and
pairs of names are answered from the gold; summaries, reports and answers retell the facts and sentences that
their prompts hold, each with its number.
"""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.relation_descriptions import describe_claim
from app.domain.relation_types import EXISTS
from app.extraction.llm.control_claims import CONTROL_CLAIMS, CONTROL_TEXT
from app.graph.names import clean_name
from app.graph.validity import SYMMETRIC_RELATIONS
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.prompts import attributes, claim_check, entities, gleaning, relations
from app.llm.prompts.claim_check import ClaimVerdict
from app.llm.prompts.fence import parse_fenced_passages
from tests.oracle.gold import GoldEntity, GoldLibrary, GoldRelation, GoldText

Entry = dict[str, Any]


class OracleAnswerer(RulesAnswerer):
    """Answers from gold texts; a passage that none of them holds says nothing.

    `listed` collects for each title the positions of entities that pass 2 was asked about, `stated` those of
    the relations that were answered: what is in the first and not in the gold was lost before. With
    `lists_forms` it lists the inflected forms of names too, as pass 1 asks for; without, the pipeline has to
    know them.
    """

    def __init__(self, texts: Sequence[GoldText], *, lists_forms: bool = False) -> None:
        super().__init__()
        self.lists_forms = lists_forms
        self.library = GoldLibrary(texts)
        self.asked: set[str] = set()
        self.listed: dict[str, set[int]] = {text.title: set() for text in texts}
        self.stated: dict[str, set[int]] = {text.title: set() for text in texts}
        self.unknown_passages = 0
        self.longest_call = 0

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """The answer to a prompt of ours; None for any other."""
        system = messages[0]["content"]
        passages = [passage for message in messages for passage in parse_fenced_passages(message["content"])]
        self.longest_call = max(self.longest_call, len(passages))
        if gleaning.is_system_message_of_prompt(system) or system == attributes.PROMPT.system:
            return super().answer(messages)
        if '"same"' in system:
            entries = [self._same_of(passage) for passage in passages]
        elif system == claim_check.PROMPT.system:
            entries = [{"claims": self.verdicts_on(passage)} for passage in passages]
        elif '"relations"' in system:
            entries = [{"relations": self._relations_in(passage)} for passage in passages]
        elif '"entities"' in system:
            entries = [self._named_in(passage) for passage in passages]
        else:
            return super().answer(messages)
        return {"passages": [{"id": number, **entry} for number, entry in enumerate(entries, 1)]}

    def _named_in(self, passage: str) -> Entry:
        _, text = entities.parse_title_and_text(passage)
        gold = self._gold_of(text)
        if gold is None:
            return {"entities": [], "ended": False}
        ended = any(
            relation.relation == EXISTS and relation.quote_in(text) is not None for relation in gold.relations
        )
        return {"entities": self.entities_of(gold, text), "ended": ended}

    def _relations_in(self, passage: str) -> list[Entry]:
        names, text = relations.parse_names_and_text(passage)
        gold = self._gold_of(text)
        if gold is None:
            return []
        label_of = _labels(gold, names)
        self.listed[gold.title] |= set(label_of)
        return self.relations_of(gold, text, label_of)

    def entities_of(self, gold: GoldText, text: str) -> list[Entry]:
        """The entities whose names stand in this part of the text."""
        entries = []
        for entity in gold.entities:
            written = entity.names_in(text)
            if written:
                aliases = [*written[1:], *(entity.forms_in(text) if self.lists_forms else ())]
                entries.append({"name": written[0], "type": entity.type, "aliases": aliases, "sense": ""})
        return entries

    def relations_of(self, gold: GoldText, text: str, label_of: Mapping[int, str]) -> list[Entry]:
        """The relations between listed entities that this part of the text states."""
        entries = []
        for place, relation in enumerate(gold.relations):
            quote = relation.quote_in(text)
            if quote is None or relation.source not in label_of or relation.target not in label_of:
                continue
            self.stated[gold.title].add(place)
            entries.append(relation_entry(relation, quote, label_of))
        return entries

    def verdicts_on(self, passage: str) -> list[Entry]:
        """Whether this part of a text states each claim, with its dates where it has some."""
        if passage.endswith(CONTROL_TEXT):
            known = {claim.sentence: claim.verdict for claim in CONTROL_CLAIMS}
            return [
                {"claim": number, "words": "", "verdict": known[claim]}
                for number, claim in enumerate(claim_check.parse_claims(passage), 1)
            ]
        gold = self._gold_of(relations.parse_names_and_text(passage)[1])
        rendered = {} if gold is None else _rendered_claims(gold, relations.parse_names_and_text(passage)[1])
        return [
            {"claim": number, "words": "", "verdict": _verdict_on(claim, rendered)}
            for number, claim in enumerate(claim_check.parse_claims(passage), 1)
        ]

    def _same_of(self, passage: str) -> Entry:
        pair = [thing["name"] for thing in json.loads(passage).values()]
        same = any(
            all(entity.is_called(name) for name in pair)
            for gold in self.library.texts
            for entity in gold.entities
        )
        return {"same": same, "confidence": 0.99, "reason": "annotated"}

    def _gold_of(self, text: str) -> GoldText | None:
        gold = self.library.of(text)
        if gold is None:
            self.unknown_passages += 1
        else:
            self.asked.add(text)
        return gold


def relation_entry(relation: GoldRelation, quote: str, label_of: Mapping[int, str]) -> Entry:
    """One relation as pass 2 wants it answered."""
    since, until = relation.valid_from, relation.valid_to
    return {
        "from": label_of[relation.source],
        "to": label_of[relation.target],
        "relation": relation.relation,
        "polarity": relation.polarity,
        "valid_from": since and since[0],
        "valid_to": until and until[0],
        "confidence": 0.95,
        "quote": quote,
        "from_words": relation.source_words,
        "to_words": relation.target_words,
        "denied_by": relation.denied_by,
        "said_by": relation.said_by,
        "changed_by": relation.changed_by,
        "role": relation.role,
        "dated_by": " ".join(date[1] for date in (since, until) if date),
    }


def _rendered_claims(gold: GoldText, text: str) -> dict[str, list[tuple[str | None, str | None]]]:
    """The claims of this part of the text in the words of the prompt, without dates, each with its dates."""
    rendered: dict[str, list[tuple[str | None, str | None]]] = {}
    for relation in gold.relations:
        if relation.quote_in(text) is None or relation.planned:
            continue
        since, until = (date and date[0] for date in (relation.valid_from, relation.valid_to))
        dates = (since or until, None) if relation.denied_by else (since, until)
        ends = [(relation.source, relation.target)]
        if relation.relation in SYMMETRIC_RELATIONS:
            ends.append((relation.target, relation.source))
        for source, target in ends:
            for one in _labels_of(gold.entities[source]):
                for other in _labels_of(gold.entities[target]):
                    sentence = describe_claim(relation.relation, one, other)
                    for claim in _sides_of(relation, sentence):
                        rendered.setdefault(_compared(claim), []).append(dates)
    return rendered


def _labels_of(entity: GoldEntity) -> list[str]:
    names = [clean_name(name) for name in (*entity.names, *entity.forms)]
    return [*names, *(f"{name} ({entity.type})" for name in names)]


def _sides_of(relation: GoldRelation, sentence: str) -> list[str]:
    """The claim as it is asked about, and the change that its text states besides."""
    claims = [
        claim_check.render_claim(
            sentence, is_denied=bool(relation.denied_by), reporter=relation.said_by or None
        )
    ]
    if relation.changed_by:
        claims.append(claim_check.render_claim(sentence, is_change=True))
    return claims


def _verdict_on(claim: str, rendered: Mapping[str, Sequence[tuple[str | None, str | None]]]) -> ClaimVerdict:
    sentence, begin, _ = claim.rpartition(" (from ")
    if not begin:
        sentence, begin, _ = claim.rpartition(" (to ")
    if _compared(claim) in rendered:
        return ClaimVerdict.STATED
    if not begin or _compared(sentence) not in rendered:
        return ClaimVerdict.NOT_STATED
    stated = {
        claim_check.render_claim(sentence, start_date=start_date, end_date=end_date)
        for since, until in rendered[_compared(sentence)]
        for start_date, end_date in ((since, until), (since, None), (None, until))
    }
    return ClaimVerdict.STATED if claim in stated else ClaimVerdict.OTHER_DATES


def _compared(claim: str) -> str:
    return " ".join(unicodedata.normalize("NFC", claim).casefold().split())


def _labels(gold: GoldText, names: Sequence[str]) -> dict[int, str]:
    """Each listed entity of the gold by its position, as the list calls it."""
    found: dict[int, str] = {}
    for label in names:
        bare, _, kind = label.rpartition(" (")
        candidates = [
            (place, entity)
            for place, entity in enumerate(gold.entities)
            if entity.is_called(label) or (kind == f"{entity.type})" and entity.is_called(bare))
        ]
        for place, _ in candidates[:1]:
            found.setdefault(place, label)
    return found

"""The model double's answers to the project's own prompts, computed by `rules` from their passages.

The module is here because it depends on `rules`; the double, a lower layer, receives it or loads it by name.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from app.documents.sentences import find_header_of_table_around, split_sentences
from app.documents.token_counts import count_tokens
from app.domain.scoring.keywords import list_keywords
from app.domain.scoring.stop_words import PRONOUNS
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText, FoundEntity
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.names import normalise_name
from app.graph.validity import Polarity, format_date
from app.ids import ChunkId, DocumentId, create_id
from app.llm.prompts import (
    answer,
    attributes,
    claim_check,
    entities,
    gleaning,
    relations,
    report_points,
    support,
    tags,
)
from app.llm.prompts.claim_check import ClaimVerdict
from app.llm.prompts.fence import parse_fenced_passages, parse_named_text
from app.llm.prompts.shapes import parse_numbered_facts

# A report among the facts: its title, and the claim and sources of its first finding, from which a question
# is answered.
_THEME_PATTERN = re.compile(
    r"^## (.+) \([\d,]+ nodes\)\n.*\n- (.+?)(?:: “[^”]*”|\.)?((?: \[\d+\])+)$", re.MULTILINE
)
_POINT_PATTERN = re.compile(r"^- (.+?): (.+?)(?:: “[^”]*”|\.)?((?: \[\d+\])+)$", re.MULTILINE)


class RulesAnswerer:
    """Simulates a model of limited quality whose answers always match the schema."""

    def __init__(self) -> None:
        self._rules = RulesExtractor()
        # Repeated questions are answered from a cache, so that a benchmark can exclude the double's own work.
        self._read_cached = lru_cache(maxsize=50_000)(self._read_passage)

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """Return the answer to a prompt of pass 1 or 2, about pairs of names, communities or nodes, or to
        a question; None for any other prompt.
        """
        passages = [passage for message in messages for passage in parse_fenced_passages(message["content"])]
        if not passages:
            return None
        system_prompt = messages[0]["content"]
        if answer.is_system_message_of_prompt(system_prompt):
            content = messages[-1]["content"]
            question = content.rpartition("\n")[2]
            return _answer_with_best_sentences(
                f"{question} {parse_named_text(content, 'names')}",
                passages,
                parse_named_text(content, "facts"),
            )
        if report_points.is_system_message_of_prompt(system_prompt):
            return {
                "passages": [
                    _answer_findings_for_question(number, passage)
                    for number, passage in enumerate(passages, 1)
                ]
            }
        for word, answer_passage in _ANSWER_BY_SCHEMA_WORD.items():
            if f'"{word}"' in system_prompt:
                return {
                    "passages": [
                        answer_passage(number, passage) for number, passage in enumerate(passages, 1)
                    ]
                }
        if gleaning.is_system_message_of_prompt(system_prompt):
            # The first pass already returns everything that the double can find.
            return {"passages": [{"id": number, "entities": []} for number in range(1, len(passages) + 1)]}
        if system_prompt == attributes.PROMPT.system:
            return {
                "passages": [
                    _answer_attributes(number, passage) for number, passage in enumerate(passages, 1)
                ]
            }
        if '"same"' in system_prompt:
            return {"passages": [_answer_pair_not_same(number) for number in range(1, len(passages) + 1)]}
        asks_for_relations = '"relations"' in system_prompt
        passage_answers = [json.loads(self._read_cached(passage, asks_for_relations)) for passage in passages]
        return {
            "passages": [
                {"id": number, **passage_answer} for number, passage_answer in enumerate(passage_answers, 1)
            ]
        }

    def _read_passage(self, passage: str, asks_for_relations: bool) -> str:
        return json.dumps(
            self._answer_relations(passage) if asks_for_relations else self._answer_entities(passage)
        )

    def count_tokens(self, text: str) -> int:
        """Return the exact number of tokens in the o200k vocabulary."""
        return count_tokens(text)

    def _answer_entities(self, passage: str) -> dict[str, Any]:
        title, text = entities.parse_title_and_text(passage)
        chunk_entities = self._find_entities_by_rules(_build_chunk_of_text(title, text))
        return {
            "entities": [
                {
                    "name": entity.name,
                    "type": entity.node_type,
                    "aliases": [*entity.aliases, *entity.short_names],
                    "sense": "",
                }
                for entity in chunk_entities
            ]
        }

    def _answer_relations(self, passage: str) -> dict[str, Any]:
        names, text = relations.parse_names_and_text(passage)
        chunk = _build_chunk_of_text("", text)
        chunk_entities = self._find_entities_by_rules(chunk)
        name_by_key = {normalise_name(name): name for name in names}
        listed_names = [name_by_key.get(normalise_name(entity.name)) for entity in chunk_entities]
        chunk_relations = self._rules.extract_relations([chunk], [chunk_entities], DEFAULT_VOCABULARY)[0]
        return {
            "relations": [
                {
                    "from": listed_names[relation.from_entity],
                    "to": listed_names[relation.to_entity],
                    "relation": relation.relation_type,
                    "polarity": relation.polarity.value,
                    "valid_from": relation.valid_from and format_date(*relation.valid_from),
                    "valid_to": relation.valid_to and format_date(*relation.valid_to),
                    "confidence": relation.confidence,
                    "quote": relation.quote,
                    "from_words": _choose_pronoun_unless_named(
                        chunk_entities[relation.from_entity], relation.quote
                    ),
                    "to_words": _choose_pronoun_unless_named(
                        chunk_entities[relation.to_entity], relation.quote
                    ),
                    "denied_by": relation.quote if relation.polarity is Polarity.DENIED else "",
                    "dated_by": "",
                }
                for relation in chunk_relations
                if listed_names[relation.from_entity] and listed_names[relation.to_entity]
            ]
        }

    def _find_entities_by_rules(self, chunk: ChunkText) -> tuple[FoundEntity, ...]:
        return self._rules.extract_entities([chunk], DEFAULT_VOCABULARY)[0]


def _choose_pronoun_unless_named(entity: FoundEntity, quote: str) -> str:
    """Return a pronoun of the quote, else its first word, if the quote does not name the entity; else ""."""
    if any(name in quote for name in (entity.name, *entity.aliases, *entity.short_names)):
        return ""
    words = quote.split()
    return next((word for word in words if word.lower() in PRONOUNS), words[0])


def _answer_with_best_sentences(question: str, passages: Sequence[str], facts: str) -> str:
    """Return the sentence of each of the first three passages that shares most words with the question, with
    its number.

    If none shares any, return the themes: titles and findings of the first five reports among the facts.
    """
    question_words = set(list_keywords(question))
    cited_sentences = []
    for number, passage in enumerate(passages[:3], 1):
        text = answer.parse_text(passage)
        # The header of a table explains the cells of its rows.
        sentences = {
            text[start:end]: f"{text[start:end]} {find_header_of_table_around(text, start)}"
            for start, end in split_sentences(text)
        }
        best_sentence = max(
            sentences,
            key=lambda sentence: len(question_words & set(list_keywords(sentences[sentence]))),
            default="",
        )
        if question_words & set(list_keywords(best_sentence)):
            cited_sentences.append(f"{' '.join(best_sentence.split()).rstrip('.')} [{number}].")
    if not cited_sentences:
        themes = _THEME_PATTERN.findall(facts) or _POINT_PATTERN.findall(facts)
        cited_sentences = [
            f"{title}: {claim} {''.join(citation_marks.split())}."
            for title, claim, citation_marks in themes[:5]
        ]
    return " ".join(cited_sentences) or "The passages do not say."


def _answer_community_report(number: int, passage: str) -> dict[str, Any]:
    """Return a report with the three strongest facts, each with its number."""
    facts = parse_numbered_facts(passage)[:3]
    findings = [{"text": f"{claim}.", "facts": [fact]} for fact, claim in facts]
    return {
        "id": number,
        "title": facts[0].claim,
        "summary": f"About {facts[0].claim}.",
        "findings": findings,
    }


def _answer_node_summary(number: int, passage: str) -> dict[str, Any]:
    """Return a summary with the three strongest facts, each with its number."""
    facts = parse_numbered_facts(passage)[:3]
    return {"id": number, "sentences": [{"text": f"{claim}.", "facts": [fact]} for fact, claim in facts]}


def _answer_findings_for_question(number: int, passage: str) -> dict[str, Any]:
    """Return the findings that share words with the question, best first; the first one if none does."""
    question, findings = report_points.parse_question_and_findings(passage)
    question_words = set(list_keywords(question))
    scored_findings = [
        (10 * len(question_words & set(list_keywords(text))), text, finding_number)
        for finding_number, text in enumerate(findings, 1)
    ]
    helpful_findings = [
        (score, text, finding_number) for score, text, finding_number in scored_findings if score
    ] or [(1, findings[0], 1)]
    points = [
        {"text": text, "helpful": min(helpfulness, 100), "findings": [finding_number]}
        for helpfulness, text, finding_number in helpful_findings
    ]
    return {"id": number, "points": points}


def _answer_tags(number: int, passage: str) -> dict[str, Any]:
    """Return the node's type and relations as tags."""
    node = tags.parse_node(passage)
    words_of_facts = [fact["claim"].removeprefix(node["name"]).split()[:1] for fact in node["facts"]]
    return {"id": number, "tags": [node["type"], *(word for words in words_of_facts for word in words)]}


def _answer_attributes(number: int, passage: str) -> dict[str, Any]:
    """Return the first year or number of the first sentence that names each entity; texts and booleans are
    omitted.
    """
    described_entities, text = attributes.parse_entities_and_text(passage)
    sentences = [text[start:end] for start, end in split_sentences(text)]
    values = []
    for entity in described_entities:
        quote = next((sentence for sentence in sentences if entity["name"] in sentence), "")
        for name, kind in entity["attributes"].items():
            pattern = {"date": r"\b[12]\d{3}\b", "number": r"\b\d+\b"}.get(kind)
            match = re.search(pattern, quote) if pattern else None
            if match:
                values.append({"name": entity["name"], "attribute": name, "value": match[0], "quote": quote})
    return {"id": number, "values": values}


def _answer_pair_not_same(number: int) -> dict[str, Any]:
    """Return the answer "not the same": like `rules`, the double keeps uncertain pairs apart, so that the
    graph does not depend on their order.
    """
    return {"id": number, "same": False, "confidence": 0.5, "reason": "not sure"}


def _build_chunk_of_text(title: str, text: str) -> ChunkText:
    return ChunkText(ChunkId(create_id()), DocumentId(create_id()), title, text)


def _answer_support(number: int, passage: str) -> dict[str, Any]:
    sentence, quotes = support.parse_sentence_and_quotes(passage)
    quoted_words = {word for quote in quotes for word in list_keywords(quote)}
    return {"id": number, "supported": quoted_words.issuperset(list_keywords(sentence))}


def _confirm_all_claims(passage_number: int, passage: str) -> dict[str, Any]:
    """Return the verdict "stated" on every claim: they are the double's own."""
    claims = claim_check.parse_claims(passage)
    return {
        "id": passage_number,
        "claims": [
            {"claim": claim_number, "words": "", "verdict": ClaimVerdict.STATED}
            for claim_number in range(1, len(claims) + 1)
        ],
    }


# A word of each prompt's schema and its answer function; the first word present selects.
_ANSWER_BY_SCHEMA_WORD: dict[str, Callable[[int, str], dict[str, Any]]] = {
    "findings": _answer_community_report,
    "sentences": _answer_node_summary,
    "tags": _answer_tags,
    "supported": _answer_support,
    "verdict": _confirm_all_claims,
}

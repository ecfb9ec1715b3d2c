"""Writers of reports on communities: rules, from central nodes and strongest claims, or a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.derived.communities.shapes import Claim, Finding, NamingDocument, Report, ReportMaterial
from app.graph.narrative import format_claim_of_names
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import community_report
from app.llm.prompts.community_report import MAX_FINDINGS
from app.llm.prompts.shapes import QuotedClaim

RULES = "rules"
MIN_MEMBERS_FOR_MODEL = 3
"""Minimum members for a model call: the claims of a pair say everything about it."""
MAX_TITLE_LENGTH, MAX_QUOTE_LENGTH = 120, 300
MIN_SHARE_OF_FIRST_DOCUMENT = 0.25
"""A report names a second document that names at least this share of the nodes that the first one names."""


class Reporter(Protocol):
    """Writes reports."""

    def write_reports(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """Return a report for each material, in order."""
        ...


def build_title_of_central_names(names: Sequence[str]) -> str:
    """Return the title of an untitled community: its central nodes, at most 120 characters."""
    if not names:
        return "Unnamed"
    title = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return title if len(title) <= MAX_TITLE_LENGTH else names[0][:MAX_TITLE_LENGTH]


def format_claim_text(claim: Claim) -> str:
    """Return the claim in words: "Postgres depends on C"."""
    return format_claim_of_names(claim.from_name, claim.relation_type, claim.to_name)


class RulesReporter:
    """Needs no key: names the central nodes and the documents that name them, quotes the strongest claims."""

    def write_reports(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """Return a report for each material, in order."""
        return [self._write_report_by_rules(material) for material in materials]

    def _write_report_by_rules(self, material: ReportMaterial) -> Report:
        names = [member.canonical_name for member in material.members]
        sentences = [f"{material.member_count:,} nodes around {build_title_of_central_names(names[:3])}."]
        if material.documents:
            sentences.append(
                _write_documents_sentence(material.documents, material.core_size, material.member_count)
            )
        if material.claims:
            sentences.append(f"The strongest relation: {format_claim_text(material.claims[0])}.")
        findings = [
            Finding(_format_claim_with_quote(claim), claim.edge_ids)
            for claim in material.claims[:MAX_FINDINGS]
            if claim.edge_ids
        ]
        return Report(material.title, " ".join(sentences), tuple(findings), RULES)


def _write_documents_sentence(documents: Sequence[NamingDocument], core_size: int, member_count: int) -> str:
    """Return a sentence with the documents that name most of the most central nodes."""
    documents = [
        document
        for document in documents
        if document.node_count >= MIN_SHARE_OF_FIRST_DOCUMENT * documents[0].node_count
    ]
    titles = [f"“{document.title[:MAX_TITLE_LENGTH]}”" for document in documents]
    if core_size == 1:
        return f"Its node is named in {' and '.join(titles)}."
    counts = [document.node_count for document in documents]
    first_verb = "is" if counts[0] == 1 else "are"
    others = "".join(
        f" and {count:,} in {title}" for count, title in zip(counts[1:], titles[1:], strict=True)
    )
    nodes = "these" if core_size == member_count else f"its {core_size:,} most central nodes"
    return f"Of {nodes} {counts[0]:,} {first_verb} named in {titles[0]}{others}."


def _format_claim_with_quote(claim: Claim) -> str:
    text = format_claim_text(claim)
    return f"{text}: “{claim.quote[:MAX_QUOTE_LENGTH]}”" if claim.quote else f"{text}."


@dataclass
class ModelReporter:
    """Calls a model, several communities per call; answers are stored and paid once.

    If an answer cannot be used, rules write the report.
    """

    asker: Asker
    _rules: RulesReporter = field(default_factory=RulesReporter)

    def write_reports(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """Return a report for each material, in order. Raises like the Asker."""
        asked_materials = [
            material
            for material in materials
            if material.member_count >= MIN_MEMBERS_FOR_MODEL and material.claims
        ]
        answers = self.asker.ask(
            community_report.PROMPT, [_format_prompt_passage(material) for material in asked_materials]
        )
        answered_reports = {
            material.community_id: self._build_report_from_answer(material, answer)
            for material, answer in zip(asked_materials, answers, strict=True)
            if not isinstance(answer, Fault)
        }
        return [
            answered_reports.get(material.community_id) or self._rules.write_reports([material])[0]
            for material in materials
        ]

    def _build_report_from_answer(self, material: ReportMaterial, answer: object) -> Report | None:
        assert isinstance(answer, dict)
        findings = []
        for finding in answer["findings"][:MAX_FINDINGS]:
            # A fact number that is not in the question is ignored; a finding without citations is dropped.
            fact_numbers = [number for number in finding["facts"] if 1 <= number <= len(material.claims)]
            edge_ids = dict.fromkeys(
                edge_id for number in fact_numbers for edge_id in material.claims[number - 1].edge_ids
            )
            text = " ".join(str(finding["text"]).split())
            if edge_ids and text:
                findings.append(Finding(text, tuple(edge_ids)))
        if not findings:
            return None
        title = " ".join(str(answer["title"]).split())[:MAX_TITLE_LENGTH]
        return Report(
            material.title if material.is_titled or not title else title,
            " ".join(str(answer["summary"]).split()),
            tuple(findings),
            self.asker.client.model,
        )


def _format_prompt_passage(material: ReportMaterial) -> str:
    return community_report.render_passage(
        [community_report.TypedName(member.canonical_name, member.node_type) for member in material.members],
        [
            QuotedClaim(format_claim_text(claim), (claim.quote or "")[:MAX_QUOTE_LENGTH])
            for claim in material.claims
        ],
    )

"""Writers of reports on communities: rules, from central nodes and strongest claims, or a model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.derived.communities.shapes import Claim, Finding, Report, ReportMaterial
from app.graph.narrative import format_claim_of_names
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answers import Fault
from app.llm.prompts import community_report
from app.llm.prompts.community_report import MAX_FINDINGS
from app.llm.prompts.shapes import QuotedClaim

RULES = "rules"
MIN_MEMBERS_FOR_MODEL = 3
"""Minimum members for a model call: the claims of a pair say everything about it."""
MAX_TITLE_LENGTH, MAX_QUOTE_LENGTH = 120, 300


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
    """Needs no key: counts types, names the central nodes and quotes the strongest claims."""

    def write_reports(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """Return a report for each material, in order."""
        return [self._write_report_by_rules(material) for material in materials]

    def _write_report_by_rules(self, material: ReportMaterial) -> Report:
        names = [member.canonical_name for member in material.members]
        types_and_counts = Counter(member.node_type for member in material.members).most_common(2)
        sentences = [f"{material.member_count:,} nodes around {build_title_of_central_names(names[:3])}."]
        if types_and_counts:
            sentences.append(_write_types_sentence(types_and_counts, len(names)))
        if material.claims:
            sentences.append(f"The strongest relation: {format_claim_text(material.claims[0])}.")
        findings = [
            Finding(_format_claim_with_quote(claim), claim.edge_ids)
            for claim in material.claims[:MAX_FINDINGS]
            if claim.edge_ids
        ]
        return Report(material.title, " ".join(sentences), tuple(findings), RULES)


TypeCount = tuple[str, int]
"""A node type, and the number of its nodes."""


def _write_types_sentence(types_and_counts: Sequence[TypeCount], member_count: int) -> str:
    """Return a sentence with the most frequent types of the most central members."""
    most_frequent_type, _ = types_and_counts[0]
    if member_count == 1:
        return f"Its node is of type {most_frequent_type}."
    if len(types_and_counts) == 1:
        return f"Its {member_count} most central nodes are all of type {most_frequent_type}."
    counted_types = " and ".join(
        f"{count} {'is' if count == 1 else 'are'} of type {node_type}"
        for node_type, count in types_and_counts
    )
    return f"Of its {member_count} most central nodes {counted_types}."


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

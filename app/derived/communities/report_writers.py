"""Writes reports on communities: by rules, out of central nodes and strongest claims, or by a model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.derived.communities.shapes import Claim, Finding, Report, ReportMaterial
from app.graph.narrative import claim_of_names_in_words
from app.llm.model_calls.batching import Asker, Fault
from app.llm.prompts import community_report
from app.llm.prompts.community_report import MAX_FINDINGS

RULES = "rules"
SMALLEST_ASKED = 3
"""Of a pair of nodes there is no more to say than its claims: no model is paid for it."""
LONGEST_TITLE, LONGEST_QUOTE = 120, 300


class Reporter(Protocol):
    """Who writes reports."""

    def report(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """A report for each, in order."""
        ...


def title_of_central_names(names: Sequence[str]) -> str:
    """The title of a community that nobody has named: its central nodes, at most 120 characters."""
    if not names:
        return "Unnamed"
    title = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return title if len(title) <= LONGEST_TITLE else names[0][:LONGEST_TITLE]


def claim_as_text(claim: Claim) -> str:
    """The claim as words: "Postgres depends on C"."""
    return claim_of_names_in_words(claim.from_name, claim.relation_type, claim.to_name)


class RulesReporter:
    """Needs no key: counts types, names the central nodes and quotes the strongest claims."""

    def report(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """A report for each, in order."""
        return [self._report_by_rules(material) for material in materials]

    def _report_by_rules(self, material: ReportMaterial) -> Report:
        names = [member.canonical_name for member in material.members]
        types = Counter(member.node_type for member in material.members).most_common(2)
        parts = [f"{material.member_count:,} nodes around {title_of_central_names(names[:3])}."]
        if types:
            parts.append(_types_sentence(types, len(names)))
        if material.claims:
            parts.append(f"The strongest relation: {claim_as_text(material.claims[0])}.")
        findings = [
            Finding(_claim_with_quote(claim), claim.edge_ids)
            for claim in material.claims[:MAX_FINDINGS]
            if claim.edge_ids
        ]
        return Report(material.title, " ".join(parts), tuple(findings), RULES)


def _types_sentence(types: Sequence[tuple[str, int]], members: int) -> str:
    """The most frequent types of the most central members as a sentence."""
    if members == 1:
        return f"Its node is of type {types[0][0]}."
    if len(types) == 1:
        return f"Its {members} most central nodes are all of type {types[0][0]}."
    named = " and ".join(
        f"{count} {'is' if count == 1 else 'are'} of type {node_type}" for node_type, count in types
    )
    return f"Of its {members} most central nodes {named}."


def _claim_with_quote(claim: Claim) -> str:
    text = claim_as_text(claim)
    return f"{text}: “{claim.quote[:LONGEST_QUOTE]}”" if claim.quote else f"{text}."


@dataclass
class ModelReporter:
    """Asks a model, several communities to a call; what it answers once is never paid again.

    Where its answer cannot be used, rules write the report.
    """

    asker: Asker
    _rules: RulesReporter = field(default_factory=RulesReporter)

    def report(self, materials: Sequence[ReportMaterial]) -> list[Report]:
        """A report for each, in order. Raises as the Asker does."""
        asked_materials = [
            material for material in materials if material.member_count >= SMALLEST_ASKED and material.claims
        ]
        answers = self.asker.ask(
            community_report.PROMPT, [_prompt_passage(material) for material in asked_materials]
        )
        answered = {
            material.community_id: self._report_from_answer(material, answer)
            for material, answer in zip(asked_materials, answers, strict=True)
            if not isinstance(answer, Fault)
        }
        return [
            answered.get(material.community_id) or self._rules.report([material])[0] for material in materials
        ]

    def _report_from_answer(self, material: ReportMaterial, answer: object) -> Report | None:
        assert isinstance(answer, dict)
        findings = []
        for finding in answer["findings"][:MAX_FINDINGS]:
            # A number that the question does not hold cites nothing; a finding without citation goes.
            facts = [number for number in finding["facts"] if 1 <= number <= len(material.claims)]
            edges = dict.fromkeys(edge for number in facts for edge in material.claims[number - 1].edge_ids)
            text = " ".join(str(finding["text"]).split())
            if edges and text:
                findings.append(Finding(text, tuple(edges)))
        if not findings:
            return None
        title = " ".join(str(answer["title"]).split())[:LONGEST_TITLE]
        return Report(
            material.title if material.titled or not title else title,
            " ".join(str(answer["summary"]).split()),
            tuple(findings),
            self.asker.client.model,
        )


def _prompt_passage(material: ReportMaterial) -> str:
    return community_report.render_passage(
        [(member.canonical_name, member.node_type) for member in material.members],
        [(claim_as_text(claim), (claim.quote or "")[:LONGEST_QUOTE]) for claim in material.claims],
    )

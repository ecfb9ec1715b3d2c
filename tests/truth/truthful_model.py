"""A truthful model for scenarios: it reads in a passage what their claims say is stated there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.graph.names import normalise_name
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.prompts import entities, gleaning, relations
from app.llm.prompts.fence import parse_fenced_passages
from tests.truth.scenario import Claim


class TruthfulAnswerer(RulesAnswerer):
    """Answers both passes of extraction by claims whose quotes stand in the passage; all else by rules."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        super().__init__()
        self._claims = list(claims)

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """The answer to a prompt, as RulesAnswerer gives it, or by claims where the passage states some."""
        told = super().answer(messages)
        system = messages[0]["content"]
        if not isinstance(told, dict) or gleaning.is_system_message_of_prompt(system):
            return told
        reads = (
            self._relations_of
            if '"relations"' in system
            else self._entities_of
            if '"entities"' in system
            else None
        )
        if reads is None:
            return told
        passages = [passage for message in messages for passage in parse_fenced_passages(message["content"])]
        return {
            "passages": [
                {"id": number, **(reads(passage) or entry)}
                for number, (passage, entry) in enumerate(zip(passages, told["passages"], strict=True), 1)
            ]
        }

    def _stated(self, text: str) -> list[Claim]:
        words = " ".join(text.split())
        return [claim for claim in self._claims if " ".join(claim.quote.split()) in words]

    def _entities_of(self, passage: str) -> dict[str, Any] | None:
        _, text = entities.parse_title_and_text(passage)
        ends = {end for claim in self._stated(text) for end in (claim.source, claim.target) if end[0] in text}
        listed = [{"name": name, "type": kind, "aliases": []} for name, kind in sorted(ends)]
        return {"entities": listed} if listed else None

    def _relations_of(self, passage: str) -> dict[str, Any] | None:
        names, text = relations.parse_names_and_text(passage)
        listed = {normalise_name(name): name for name in names}
        stated = [
            {
                "from": listed[normalise_name(claim.source[0])],
                "to": listed[normalise_name(claim.target[0])],
                "relation": claim.relation,
                "confidence": 0.9,
                "quote": claim.quote,
                "from_words": _standing_for(claim.source[0], claim.quote),
                "to_words": _standing_for(claim.target[0], claim.quote),
                "denied_by": claim.quote if claim.more.get("polarity") == "denied" else "",
                **claim.more,
            }
            for claim in self._stated(text)
            if normalise_name(claim.source[0]) in listed and normalise_name(claim.target[0]) in listed
        ]
        return {"relations": stated} if stated else None


def _standing_for(name: str, quote: str) -> str:
    """The quote's first word where it does not have the name: claims do not say which words stand for it."""
    return "" if name in quote else quote.split(maxsplit=1)[0]

"""Ask a model whether doubtful pairs are the same entity, several pairs per call.

Each answer is stored and paid for once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.graph.resolution.shapes import DoubtfulPair, PairSide, Verdict
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import same_entity

MIN_CONFIDENCE = 0.7
"""A "same" with less confidence merges nothing: a wrong merge costs more than a missed one."""
MAX_REASON_LENGTH = 120


@dataclass
class ModelJudge:
    """A `PairJudge` for one job that asks a model."""

    asker: Asker

    @property
    def name(self) -> str:
        """The model's name, for the ledger."""
        return self.asker.client.model

    def judge_pairs(self, pairs: Sequence[DoubtfulPair]) -> list[Verdict | None]:
        """Return a verdict for each pair; None if the model's answer was unusable.

        Raises what the `Asker` raises.
        """
        questions = [
            same_entity.render_passage(_describe_side_for_prompt(pair.a), _describe_side_for_prompt(pair.b))
            for pair in pairs
        ]
        verdicts: list[Verdict | None] = []
        for answer in self.asker.ask(same_entity.PROMPT, questions):
            if isinstance(answer, Fault):
                verdicts.append(None)
                continue
            confidence = float(answer["confidence"])
            is_same = bool(answer["same"]) and confidence >= MIN_CONFIDENCE
            verdicts.append(Verdict(is_same, confidence, str(answer["reason"])[:MAX_REASON_LENGTH]))
        return verdicts


def _describe_side_for_prompt(side: PairSide) -> same_entity.NamedThing:
    return same_entity.NamedThing(side.name, side.node_type, side.passage)

"""Have the model check each sentence of its answer against the cited quotes (requirement 10.2).

This is an optional second check, after the one of support.py, which compares words and always runs. The
prompt is `app/llm/prompts/support.py`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.answers.paid_calls import explain_model_failure
from app.answers.shapes import Citation, Sentence
from app.ids import ChunkId, TenantId
from app.llm.client import ModelClient
from app.llm.errors import MalformedReply, ModelRefused, ModelUnavailable, Parked, TokensRefused
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import support as prompt

MAX_SENTENCES = 30
"""Maximum number of sentences in one call."""
BY_WORDS_WARNING = "Whether sentences are supported was judged by their words."


class ModelVerdicts(NamedTuple):
    """The model's verdicts by index of the sentence, and warnings for sentences without a verdict."""

    is_supported_by_sentence: dict[int, bool]
    warnings: list[str]


def verify_sentences(
    client: ModelClient | None,
    stored_answers: DatabaseAnswerStore | None,
    tenant_id: TenantId,
    sentences: Sequence[Sentence],
    citations: Mapping[int, Citation],
) -> ModelVerdicts:
    """Return the model's verdict by index of the sentence, and warnings for sentences without a verdict.

    Sentences without a quote are not asked about. Verdicts are stored until their chunks are deleted. Nothing
    is asked if the tenant's budget or tokens do not cover the call.
    """
    if client is None or stored_answers is None:
        return ModelVerdicts({}, [])
    passages: list[str] = []
    chunk_ids: list[ChunkId] = []
    sentence_indices: list[int] = []
    for sentence in sentences:
        sentence_citations = [citations[number] for number in sentence.citations if number in citations]
        passage = prompt.render_passage(
            sentence.text,
            [prompt.TitledQuote(citation.document_title, citation.quote) for citation in sentence_citations],
        )
        # One passage for each cited chunk: equal passages are asked about once, and the verdict is tied to
        # all of their chunks.
        passages += [passage] * len(sentence_citations)
        chunk_ids += [citation.chunk_id for citation in sentence_citations]
        sentence_indices += [sentence.index] * len(sentence_citations)
    try:
        asker = Asker(client, stored_answers, tenant_id, max_passages=MAX_SENTENCES)
        answers = asker.ask(prompt.PROMPT, passages, chunks=chunk_ids)
    except (MalformedReply, ModelRefused, ModelUnavailable, Parked, TokensRefused) as error:
        return ModelVerdicts({}, [f"{explain_model_failure(error)} {BY_WORDS_WARNING}"])
    verdicts = {
        index: bool(answer["supported"])
        for index, answer in zip(sentence_indices, answers, strict=True)
        if not isinstance(answer, Fault)
    }
    unverified_count = len(set(sentence_indices)) - len(verdicts)
    return ModelVerdicts(
        verdicts,
        [f"The model gave no verdict on {unverified_count} of the sentences. {BY_WORDS_WARNING}"]
        if unverified_count
        else [],
    )

"""What an ingest would cost, before a call is made: documents are read and cut, and no model is asked."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from app.db.session import SpaceSession
from app.documents import service as documents
from app.documents.chunker import chunk
from app.documents.hashing import chunk_hash
from app.documents.parsers.sandbox import parse_isolated
from app.documents.shapes import DocumentFormat, Submission
from app.documents.tokens import count_tokens
from app.errors import CitegraphError
from app.extraction.vocabulary import vocabulary_of
from app.ingest.afterwards import foresee
from app.ingest.readers import BATCH_DOCUMENTS
from app.ingest.reading import limits_of
from app.llm.prices import cost_usd
from app.model_calls.batching import ANSWER_RATIO, batches
from app.prompts import attributes, gleaning
from app.prompts import entities as entity_prompt
from app.prompts import relations as relation_prompt
from app.prompts.shapes import Prompt
from app.settings import Settings
from app.spaces import service as spaces

# What the names of pass 1 add to a passage in pass 2, in tokens: measured on examples/corpus with the double: 86.
NAMES_TOKENS = 90
# Questions about doubtful names: at most a call for each batch of documents. Tokens of them to tokens of chunks,
# measured with the double: 0.04 on examples/corpus, 0.12 on 2Wiki and HotpotQA, 0.15 on MuSiQue.
DOUBT_TOKENS, DOUBT_ANSWER_TOKENS = 0.15, 0.015


@dataclass(frozen=True)
class Estimate:
    """Numbers for a decision, not a bill: every passage is taken to need both passes, answers to be long.

    `calls`, tokens and `cost_usd` are those of both passes and of the questions about doubtful names. What is written
    about the graph once it rests, reports on communities and summaries of nodes, depends on what is found: the
    fields `later_…` are what it takes at most.
    `unreadable` documents would be set aside; `known_chunks` stand in the space already and are not
    read again. Without a model (`model` None) all calls, tokens and costs are 0.
    """

    documents: int
    unchanged: int
    unreadable: int
    chunks: int
    known_chunks: int
    chunk_tokens: int
    model: str | None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    later_calls: int = 0
    later_prompt_tokens: int = 0
    later_completion_tokens: int = 0
    later_cost_usd: Decimal = Decimal(0)

    def as_dict(self) -> dict[str, Any]:
        """The same for doors, costs as numbers."""
        costs = {"cost_usd": float(self.cost_usd), "later_cost_usd": float(self.later_cost_usd)}
        return {**asdict(self), **costs}


def estimate(space: SpaceSession, submissions: Sequence[Submission], settings: Settings) -> Estimate:
    """What handing these in would take. Writes nothing and calls no model."""
    own = spaces.settings_of(space)
    vocabulary = vocabulary_of(own, settings)
    model = settings.llm_model if settings.has_model else None
    fresh = documents.unknown_of(space, submissions)
    passages: list[tuple[str, str]] = []
    unreadable = given = given_tokens = 0
    for submission in fresh:
        try:
            parsed = parse_isolated(
                submission.raw,
                submission.format,
                seconds=settings.parse_seconds,
                memory_bytes=settings.parse_memory_bytes,
                limits=limits_of(settings),
            )
            drafts = chunk(
                parsed,
                max_tokens=own.chosen(settings, "chunk_tokens"),
                most=settings.max_document_chunks,
            )
        except CitegraphError:
            unreadable += 1
            continue
        if submission.format is DocumentFormat.EXTRACTION:
            # Its findings came along: nobody is asked.
            given += len(drafts)
            given_tokens += sum(count_tokens(each.text) for each in drafts)
            continue
        title = submission.title or parsed.title or ""
        passages += [
            (
                chunk_hash(each.text),
                entity_prompt.passage(each.text, title=title, heading_path=each.heading_path),
            )
            for each in drafts
        ]
    known = documents.known_chunks(space, [digest for digest, _ in passages])
    unread = {digest: passage for digest, passage in passages if digest not in known}
    sizes = Estimate(
        documents=len(submissions),
        unchanged=len(submissions) - len(fresh),
        unreadable=unreadable,
        chunks=len(passages) + given,
        known_chunks=len(passages) - len(unread),
        chunk_tokens=sum(count_tokens(passage) for passage in unread.values()),
        model=model,
    )
    if model is None:
        return sizes
    later = foresee(space, own, settings, tokens=sizes.chunk_tokens + given_tokens)
    sizes = replace(
        sizes,
        later_calls=later.calls,
        later_prompt_tokens=later.prompt_tokens,
        later_completion_tokens=later.completion_tokens,
        later_cost_usd=cost_usd(
            settings.llm_prices,
            model,
            prompt_tokens=later.prompt_tokens,
            completion_tokens=later.completion_tokens,
        ),
    )
    if not unread:
        return sizes
    prompts = (
        (entity_prompt.prompt(vocabulary.node_types), 0),
        *[(gleaning.prompt(vocabulary.node_types), NAMES_TOKENS)] * vocabulary.gleanings,
        *[(attributes.PROMPT, NAMES_TOKENS)] * bool(vocabulary.attributes),
        (
            relation_prompt.prompt(vocabulary.relation_types, open_relations=vocabulary.open_relations),
            NAMES_TOKENS,
        ),
    )
    calls = sent = received = 0
    for prompt, extra in prompts:
        made = batches(list(unread.items()), dict.fromkeys(unread), settings.llm_passages)
        calls += len(made)
        sent += sum(_sent(prompt, [passage for _, passage in batch], extra) for batch in made)
        received += int(ANSWER_RATIO * sizes.chunk_tokens)
    calls += -(-(len(fresh) - unreadable) // BATCH_DOCUMENTS)
    sent += int(DOUBT_TOKENS * sizes.chunk_tokens)
    received += int(DOUBT_ANSWER_TOKENS * sizes.chunk_tokens)
    return replace(
        sizes,
        calls=calls,
        prompt_tokens=sent,
        completion_tokens=received,
        cost_usd=cost_usd(settings.llm_prices, model, prompt_tokens=sent, completion_tokens=received),
    )


def _sent(prompt: Prompt, passages: Sequence[str], extra: int) -> int:
    messages = prompt.messages(passages)
    return sum(count_tokens(message["content"]) for message in messages) + extra * len(passages)

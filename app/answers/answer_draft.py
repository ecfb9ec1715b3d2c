"""The state of an answer while it is written: its sentences, notes and cited texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from app.answers.citations import CitedSentence, list_notes_on_contested_or_ended_citations
from app.answers.global_search import Theme
from app.answers.shapes import (
    AnswerSpan,
    Citation,
    Context,
    FinalAnswer,
    Mode,
    Question,
    RemovalReason,
    RemovedCitation,
    Sentence,
    SentenceWritten,
    Source,
    SpanKind,
    Usage,
)
from app.answers.short_answers import find_short_answer
from app.answers.support import judge_support
from app.llm.call_records import CallRecord
from app.retrieval.shapes import RetrievalResult


@dataclass
class AnswerDraft:
    """The state of an answer while it is being written.

    `texts_by_source_number` has the sentences that cite each source, and `verdict_by_index` the model's
    verdict on the support of each sentence, by index. `is_denied` is True if the sources deny what was asked,
    `is_list` if several similar sentences are listed. `begins_with_row` is True if the first sentence is a
    table row, and `asked_cell` its cell that is asked for, if known.
    """

    question: Question
    context: Context
    warnings: list[str]
    themes: Sequence[Theme] = ()
    mode: Mode = Mode.EXTRACTIVE
    model: str | None = None
    complete: bool = True
    sentences: list[Sentence] = field(default_factory=list)
    removed_citations: list[RemovedCitation] = field(default_factory=list)
    texts_by_source_number: dict[int, list[str]] = field(default_factory=dict)
    verdict_by_index: Mapping[int, bool] = field(default_factory=dict)
    is_denied: bool = False
    is_list: bool = False
    begins_with_row: bool = False
    asked_cell: tuple[SpanKind, str] | None = None

    def add_sentence(
        self, text: str, source_numbers: Sequence[int], *, supported: bool = False, quote: str | None = None
    ) -> SentenceWritten:
        """Add a sentence; `quote` is its wording in the source if known."""
        cited_sources = [source for source in self.context.sources if source.number in source_numbers]
        has_support = (
            True
            if supported
            else judge_support(
                self._remove_title_of_community_citing_all(text, source_numbers), cited_sources
            )
        )
        sentence = Sentence(len(self.sentences), text, tuple(source_numbers), has_support)
        self.sentences.append(sentence)
        for number in source_numbers:
            self.texts_by_source_number.setdefault(number, []).append(quote or text)
        return SentenceWritten(sentence)

    def _remove_title_of_community_citing_all(self, text: str, source_numbers: Sequence[int]) -> str:
        """Remove the title of a community from the sentence, if the community's findings cite all these
        sources.

        The title sums up the community; no single source has to contain all of its names.
        """
        for theme in self.themes:
            theme_numbers = {number for _, cited_numbers in theme.findings for number in cited_numbers}
            if text.startswith(f"{theme.title}: ") and theme_numbers.issuperset(source_numbers):
                return text.removeprefix(f"{theme.title}: ")
        return text

    def add_sentences_and_note_unknown_sources(
        self, sentences: Sequence[CitedSentence]
    ) -> Iterator[SentenceWritten]:
        """Add the sentences that have a text and yield them; note citations of sources that are not in the
        context.
        """
        for sentence in sentences:
            index = len(self.sentences) - (0 if sentence.text else 1)
            self.removed_citations += [
                RemovedCitation(max(index, 0), mark, RemovalReason.NOT_IN_CONTEXT)
                for mark in sentence.unknown_marks
            ]
            if sentence.text:
                yield self.add_sentence(sentence.text, sentence.numbers)

    def list_cited_sources(self) -> list[Source]:
        """Return the sources of the context that a sentence cites."""
        return [source for source in self.context.sources if source.number in self.texts_by_source_number]

    def list_model_sentences_without_titles_of_communities(self) -> Sequence[Sentence]:
        """Return the sentences that a model wrote, without titles of communities; none in another mode."""
        if self.mode is not Mode.MODEL:
            return ()
        return [
            replace(
                sentence, text=self._remove_title_of_community_citing_all(sentence.text, sentence.citations)
            )
            for sentence in self.sentences
        ]

    def finish_answer_without_invalid_citations(
        self,
        valid_citations: dict[int, Citation],
        retrieval: RetrievalResult,
        call_records: Sequence[CallRecord],
    ) -> FinalAnswer:
        """Return the answer with the citations that are still valid; remove and report the others."""
        sentences = []
        for drafted_sentence in self.sentences:
            removed_numbers = [
                number for number in drafted_sentence.citations if number not in valid_citations
            ]
            self.removed_citations += [
                RemovedCitation(drafted_sentence.index, f"[{number}]", RemovalReason.GONE)
                for number in removed_numbers
            ]
            valid_numbers = tuple(
                number for number in drafted_sentence.citations if number in valid_citations
            )
            support = (
                self.verdict_by_index.get(drafted_sentence.index, drafted_sentence.supported)
                if valid_numbers
                else False
            )
            sentences.append(Sentence(drafted_sentence.index, drafted_sentence.text, valid_numbers, support))
        if self.removed_citations:
            self.warnings.append("Citations that this space does not hold were removed; see removed.")
        self.warnings += list_notes_on_contested_or_ended_citations(valid_citations, self.context)
        if any(sentence.supported is False for sentence in sentences):
            self.warnings.append("Some sentences rest on no source; their supported is false.")
        if any(sentence.supported is None for sentence in sentences):
            self.warnings.append(
                "Nothing tells whether the sources state some sentences; their supported is null."
            )
        return FinalAnswer(
            question=self.question.text,
            mode=self.mode,
            sentences=tuple(sentences),
            citations=tuple(valid_citations.values()),
            removed=tuple(sorted(self.removed_citations, key=lambda removal: removal.sentence)),
            context=self.context,
            graph_revision=retrieval.graph_revision,
            model=self.model,
            complete=self.complete,
            usage=_sum_usage(call_records),
            warnings=tuple(dict.fromkeys(self.warnings)),
            truncated=(*retrieval.truncated, *self.context.truncated),
            answer_span=self._find_short_answer_in_first_sentence(sentences),
            is_list=self.is_list and len(sentences) > 1,
        )

    def _find_short_answer_in_first_sentence(self, sentences: Sequence[Sentence]) -> AnswerSpan | None:
        """Return the short answer in the first sentence; None if the sentence is unsupported, something is
        denied, or the question asks for none. Of a list, only what all rows have in the column asked for.
        """
        if self.is_denied or self.themes or not sentences or sentences[0].supported is False:
            return None
        if self.asked_cell is not None:
            kind, cell_text = self.asked_cell
            start = sentences[0].text.find(cell_text)
            return AnswerSpan(kind, cell_text, 0, start, start + len(cell_text)) if start >= 0 else None
        if self.begins_with_row or self.is_list:
            return None
        return find_short_answer(self.question.text, sentences[0].text, sentences[0].index)


def _sum_usage(call_records: Sequence[CallRecord]) -> Usage:
    return Usage(
        len(call_records),
        sum(call.prompt_tokens for call in call_records),
        sum(call.completion_tokens for call in call_records),
        sum((call.cost_usd for call in call_records), Decimal(0)),
    )

"""The commands `ask` (an answer in sentences) and `retrieve` (the passages that an answer is based on)."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from app.answers.shapes import (
    AnswerScope,
    ContextFound,
    FinalAnswer,
    Interruption,
    Mode,
    Question,
    SentenceWritten,
)
from app.cli.context import start_servers_and_connect_operator
from app.cli.explanation import (
    NO_LOCATION_TEXT,
    format_fact_with_arrow,
    format_title_place_and_range,
    map_node_names,
    show_heading,
)
from app.cli.options import AsJson, AsOf, Space, Tenant, convert_to_utc
from app.cli.output import create_console, format_one_line, print_indented, print_line, print_note, show_json
from app.retrieval.shapes import Passage, Query, Scoring, Strategy
from app.views.answers import AskAnswer
from app.views.retrieval import build_retrieved_answer

_MAX_EXTRACT_CHARACTERS = 400


def ask(
    question: Annotated[str, typer.Argument(help="A question in words.")],
    space: Space,
    scope: Annotated[
        AnswerScope, typer.Option(help="local: what the graph names; global: the space as a whole.")
    ] = AnswerScope.LOCAL,
    as_of: AsOf = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question in sentences, each with the passages that it rests on; without a model, in quotes."""
    with start_servers_and_connect_operator(tenant) as operator:
        tenant_id, space_id = operator.find_space(space)
        scoped_question = Question(question, scope=scope, as_of=convert_to_utc(as_of))
        events = operator.citegraph.answerer.ask(tenant_id, space_id, scoped_question)
        if as_json:
            *_, final_event = events
            assert isinstance(final_event, FinalAnswer)
            show_json(AskAnswer.model_validate(final_event))
            return
        for event in events:
            if isinstance(event, SentenceWritten):
                # Print each sentence as it arrives: the model may take a while over the next one.
                citation_marks = "".join(f" [{number}]" for number in event.sentence.citations)
                # Each list item is printed on its own line.
                text = "\n".join(map(format_one_line, event.sentence.text.splitlines()))
                create_console().print(Text.assemble(text, (citation_marks, "yellow")))
                sys.stdout.flush()
            elif isinstance(event, Interruption):
                print_note(event.message)
            elif isinstance(event, FinalAnswer):
                _show_answer_end(event)
            else:
                assert isinstance(event, ContextFound)


def _show_answer_end(final_event: FinalAnswer) -> None:
    if final_event.mode is Mode.NOTHING:
        print_line("There is no answer.")
    if final_event.answer_span is not None:
        print_line(f"In short: {format_one_line(final_event.answer_span.text)}")
    for warning in dict.fromkeys((*final_event.warnings, *final_event.truncated)):
        print_note(f"Note: {warning}")
    if not final_event.citations:
        return
    show_heading("SOURCES")
    for citation in final_event.citations:
        quote = Text.assemble(
            (f"[{citation.number}] ", "yellow"), (f"“{format_one_line(citation.quote)}”", "italic")
        )
        print_indented(quote, 2)
        print_indented(Text(format_title_place_and_range(citation), style="dim"), 6)


def retrieve(
    question: Annotated[str, typer.Argument(help="A question or some words.")],
    space: Space,
    strategy: Annotated[Strategy, typer.Option(help="Which channels to search.")] = Strategy.HYBRID,
    scoring: Annotated[Scoring, typer.Option(help="How to rank the passages.")] = Scoring.WALK,
    top_k: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of passages.")] = 10,
    as_of: AsOf = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages that answer, best first, why each was found, and the facts around the anchors."""
    with start_servers_and_connect_operator(tenant) as operator:
        tenant_id, space_id = operator.find_space(space)
        query = Query(question, strategy, scoring, top_k, as_of=convert_to_utc(as_of))
        retrieval = operator.citegraph.retriever.retrieve_and_record_recalls(tenant_id, space_id, query)
    if as_json:
        show_json(build_retrieved_answer(retrieval))
        return
    for sentence in dict.fromkeys((*retrieval.warnings, *retrieval.truncated)):
        print_note(f"Note: {sentence}")
    if not retrieval.passages:
        print_line("Nothing found.")
    for rank, passage in enumerate(retrieval.passages, 1):
        _show_passage(rank, passage)
    if retrieval.facts:
        show_heading("FACTS")
        name_by_node = map_node_names(retrieval.nodes)
        for fact in retrieval.facts:
            print_indented(format_fact_with_arrow(fact.edge, name_by_node), 2)
            location = (
                format_title_place_and_range(fact.edge.evidence) if fact.edge.evidence else NO_LOCATION_TEXT
            )
            print_indented(Text(f"score {fact.score:.2f}; {location}", style="dim"), 6)


def _show_passage(rank: int, passage: Passage) -> None:
    heading_line = " > ".join(
        format_one_line(title) for title in (passage.document_title, *passage.heading_path)
    )
    heading_line = f"{heading_line}, {passage.place}" if passage.place else heading_line
    create_console().print(
        Text.assemble((f"{rank}. ", "yellow"), (heading_line, "bold"), f"  {passage.score:.2f}")
    )
    text = format_one_line(passage.text)
    print_indented(
        Text(text if len(text) <= _MAX_EXTRACT_CHARACTERS else text[:_MAX_EXTRACT_CHARACTERS] + " …"), 3
    )
    for reason in passage.why:
        print_indented(Text(format_one_line(reason), style="dim"), 3)

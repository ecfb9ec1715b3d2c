"""The outputs whose golden files are kept: each function gives file names with what the program says now."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
from sqlalchemy import URL

from app.answers.shapes import FinalAnswer, Question
from app.cli.explanation import (
    format_fact_with_arrow,
    format_path_with_arrows,
    format_title_place_and_range,
    map_node_names,
)
from app.cli.output import format_one_line
from app.db.engine import convert_to_conninfo
from app.documents.examples import EXAMPLES_FOLDER, read_example_documents
from app.domain.node_types import DEFAULT_NODE_TYPES
from app.extraction.rules.english.words.date_verbs import DATE_VERBS
from app.extraction.rules.english.words.value_words import WORDING_BY_ATTRIBUTE
from app.extraction.shapes import FoundEntity
from app.graph import service as graph
from app.graph.shapes import Explanation
from app.ids import SpaceId, TenantId
from app.retrieval.shapes import Query, RetrievalResult
from app.space_settings import AttributeKind
from app.transfer.export.shapes import ExportFormat
from app.wiring import Citegraph
from clients.python.generator.__main__ import describe
from tests.cli.test_cli_manners import COMMANDS
from tests.goldens.masking import masked
from tests.oracle.languages import TEXTS
from tests.support.rules_reading import VOCABULARY, Reading, read_by_rules

Outputs = dict[str, str]
MOST_BYTES = 1_000_000
# One name for each attribute that rules know; in every further one the same value would stand again.
_VOCABULARY = replace(
    VOCABULARY,
    attributes=dict.fromkeys(
        DEFAULT_NODE_TYPES,
        dict.fromkeys(WORDING_BY_ATTRIBUTE, AttributeKind.NUMBER)
        | {"description": AttributeKind.TEXT}
        | {min(row.attributes): AttributeKind.DATE for row in DATE_VERBS.values()},
    ),
)


def extraction() -> Outputs:
    """What rules read in every example document and every annotated text, one line a name, value or fact."""
    sources = {
        (document.source_uri or "").rpartition("/")[2]: (document.raw, document.format)
        for document in read_example_documents(max_bytes=MOST_BYTES)
    }
    # Of each language the first one.
    sources |= {f"language-{text.language}": (text.text.encode(), "text") for text in reversed(TEXTS)}
    return {
        f"extraction/{name}.txt": "".join(_facts(read_by_rules(raw, format, vocabulary=_VOCABULARY)))
        for name, (raw, format) in sources.items()
    }


def _facts(reading: Reading) -> Iterator[str]:
    for number, (entities, relations) in enumerate(zip(reading.entities, reading.relations, strict=True)):
        for entity in entities:
            yield f"{number} name  {_name(entity)}\n"
            for value in entity.attributes:
                subject = f" ({value.subject})" if value.subject else ""
                text = format_one_line(str(value.value))
                yield f"{number} value {entity.name}{subject}: {value.name} = {text}\n"
        for relation in relations:
            source, target = (entities[index].name for index in (relation.from_entity, relation.to_entity))
            validity = f" {relation.valid_from or ''}..{relation.valid_to or ''}"
            yield (
                f"{number} fact  {source} --{relation.relation_type}--> {target} | {relation.polarity.value}"
                f" {relation.confidence:.2f}{validity if validity != ' ..' else ''}"
                f" | {format_one_line(relation.quote)}\n"
            )


def _name(entity: FoundEntity) -> str:
    certainty = "" if entity.is_type_certain else "?"
    others = [*entity.aliases, *(f"({name})" for name in entity.short_names)]
    sense = f" <{entity.sense}>" if entity.sense else ""
    return f"{entity.name}{sense} [{entity.node_type}{certainty}]{' = ' if others else ''}{', '.join(others)}"


def openapi() -> Outputs:
    """The OpenAPI document, a line for each parameter, body, answer and field."""
    return {"openapi.txt": "".join(f"{line}\n" for line in _described(describe()))}


def _described(document: dict[str, Any]) -> Iterator[str]:
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    # Nearly all operations fail alike: told with each, that was two thirds of the document.
    answers = Counter(
        _told(status, response)
        for _, operation in operations
        for status, response in operation["responses"].items()
    )
    common = {line for line, count in answers.items() if count > len(operations) / 4}
    for name, operation in operations:
        parts = {part: operation[part] for part in operation if part not in ("parameters", "responses")}
        yield f"{name} {_compact(parts)}"
        for parameter in operation.get("parameters", ()):
            yield f"{name} parameter {_compact(parameter)}"
        lines = [_told(status, response) for status, response in operation["responses"].items()]
        yield from (f"{name} {line}" for line in lines if line not in common)
        yield f"{name} as others {' '.join(line.split()[0] for line in lines if line in common)}"
    yield from sorted(f"others {line}" for line in common)
    for kind, components in document["components"].items():
        for name, component in sorted(components.items()):
            fields = component.get("properties", {})
            whole = {part: component[part] for part in component if part != "properties"}
            yield f"{kind} {name} {_compact(whole)}"
            for field, shape in sorted(fields.items()):
                yield f"{kind} {name}.{field} {_compact(shape)}"
    yield _compact({part: document[part] for part in document if part not in ("paths", "components")})


def _told(status: str, response: dict[str, Any]) -> str:
    content = ", ".join(
        f"{media_type} {_compact(shape['schema'] if list(shape) == ['schema'] else shape)}"
        for media_type, shape in response.get("content", {}).items()
    )
    headers = " ".join(sorted(response.get("headers", {})))
    return f"{status} {response['description']} | {content} | {headers}"


def _compact(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(", ", ": "))
    return text.replace("#/components/", "")


QUESTIONS = EXAMPLES_FOLDER / "questions.jsonl"


def answers(citegraph: Citegraph, tenant_id: TenantId, space_id: SpaceId) -> Outputs:
    """What explain, retrieve and ask say to each of the demo's questions."""
    said: dict[str, list[str]] = {"explain": [], "retrieve": [], "ask": []}
    for line in QUESTIONS.read_text("utf-8").splitlines():
        question = json.loads(line)["question"]
        retrieved = citegraph.retriever.retrieve_and_record_recalls(tenant_id, space_id, Query(question))
        *_, answered = citegraph.answerer.ask(tenant_id, space_id, Question(question))
        assert isinstance(answered, FinalAnswer)
        with citegraph.database.open_space(tenant_id, space_id) as space:
            explanation = graph.explain_and_record_recall(space, question=question)
        said["explain"] += [f"QUESTION {question}", *_explained(explanation)]
        said["retrieve"] += [f"QUESTION {question}", *_retrieved(retrieved)]
        said["ask"] += [f"QUESTION {question}", *_answered(answered)]
    return {
        f"answers/{name}.txt": masked("".join(f"{line}\n" for line in lines)) for name, lines in said.items()
    }


def _explained(explanation: Explanation) -> Iterator[str]:
    names = map_node_names(explanation.nodes)
    for anchor in explanation.anchors:
        yield f"anchor {anchor.node.canonical_name} [{anchor.node.node_type}] by {anchor.matched}"
    for path in explanation.paths:
        yield f"path {path.score:.3f} {format_path_with_arrows(path)}"
    for edge in explanation.edges:
        location = format_title_place_and_range(edge.evidence) if edge.evidence else ""
        yield f"fact {format_fact_with_arrow(edge, names)} | {format_one_line(edge.quote or '')} | {location}"
    yield f"narrative {format_one_line(explanation.narrative)}"
    for kind in ("warnings", "why_not", "truncated"):
        yield from (f"{kind} {sentence}" for sentence in getattr(explanation, kind))


def _retrieved(retrieved: RetrievalResult) -> Iterator[str]:
    names = map_node_names(retrieved.nodes)
    for passage in retrieved.passages:
        characters = f"{passage.char_start}-{passage.char_end}"
        yield f"passage {passage.score:.3f} {passage.document_title} {characters} | {'; '.join(passage.why)}"
    for fact in retrieved.facts:
        yield f"fact {fact.score:.3f} {format_fact_with_arrow(fact.edge, names)}"
    for sentence in (*retrieved.warnings, *retrieved.readings, *retrieved.truncated):
        yield f"note {sentence}"


def _answered(answered: FinalAnswer) -> Iterator[str]:
    yield f"mode {answered.mode.value}, complete {answered.complete}"
    for sentence in answered.sentences:
        yield f"sentence {format_one_line(sentence.text)} {list(sentence.citations)}"
    for citation in answered.citations:
        quote, location = format_one_line(citation.quote), format_title_place_and_range(citation)
        yield f"source [{citation.number}] {quote} | {location}"
    for note in (*answered.warnings, *answered.truncated):
        yield f"note {note}"


Call = Callable[..., str]
"""Runs `citegraph` with these words; what it printed on stdout."""

# Commands with --json in the order in which they are called; {node} and the like are the first id that the
# command in IDS printed. A file is named after its command. A list is asked for its beginning.
SPACE = "--space relational-databases"
SMALL = "--space one-document --tenant small"
IDS = {
    "document": "documents list",
    "edge": "edges list",
    "job": "jobs list",
    "webhook": "webhook add",
    "chunk": "nodes mentions",
    "merge": "nodes merge",
    "split": "nodes split",
}
READING = (
    "tenant list",
    "space list",
    "space show relational-databases",
    f"documents list PostGIS --limit 3 {SPACE}",
    f"documents show {{document}} {SPACE}",
    f"jobs list {SPACE}",
    f"jobs show {{job}} {SPACE}",
    f"nodes list --limit 5 {SPACE}",
    f"nodes show PostGIS {SPACE}",
    f"nodes mentions PostGIS --limit 3 {SPACE}",
    f"nodes merge-preview PostGIS PostgreSQL {SPACE}",
    f"nodes doubtful --limit 5 {SPACE}",
    f"edges list --node PostGIS --limit 3 {SPACE}",
    f"edges show {{edge}} {SPACE}",
    f"tags list {SPACE}",
    f"tags suggest --node PostGIS --by rules {SPACE}",
    f"conflicts --limit 5 {SPACE}",
    f"communities list --limit 200 {SPACE}",
    f"summaries list --limit 3 {SPACE}",
    f"summaries show PostGIS {SPACE}",
    f"summaries gate --limit 3 {SPACE}",
    f"summaries replay {SPACE}",
    f"neighborhood PostGIS {SPACE}",
    f"explain --from PostGIS --to PostgreSQL --limit 5 {SPACE}",
    f"retrieve 'Who created PostGIS?' --top-k 2 {SPACE}",
    f"ask 'Who created PostGIS?' {SPACE}",
    f"evict --dry-run {SPACE}",
)
CHANGING = (
    f"nodes merge PostGIS GEOS {SPACE}",
    f"nodes merges {SPACE}",
    f"nodes unmerge {{merge}} {SPACE}",
    f"nodes kept-apart {SPACE}",
    f"nodes restore-name PostGIS {SPACE}",
    f"nodes split PostGIS maps --document {{document}} {SPACE}",
    f"nodes splits {SPACE}",
    f"nodes unsplit {{split}} {SPACE}",
    f"edges invalidate {{edge}} --reason 'it was never so' {SPACE}",
    f"edges restore {{edge}} {SPACE}",
    f"edges uphold {{edge}} --reason 'two sources' {SPACE}",
    f"documents trust {{document}} 0.5 {SPACE}",
    f"documents retry {SPACE}",
    f"documents delete {{document}} --dry-run {SPACE}",
    "tenant create another",
    "tenant quota another documents=5",
    "key create reader --scope read",
    "key list",
    "space create empty",
    "space set empty chunk_tokens=200",
    "space reembed empty --model hashed-ngrams-256 --dry-run",
    "webhook add https://example.org/hook --event job.done",
    "webhook list",
    "webhook deliveries {webhook}",
    "webhook rotate {webhook}",
    f"communities detect {SPACE}",
    f"summaries refresh {SPACE}",
    f"golden list {SPACE}",
    f"golden runs {SPACE}",
    f"trials begin --model rules {SPACE}",
    f"trials list {SPACE}",
    "usage",
    "audit",
)
LEFT_OUT = {
    "cluster status": "it needs a cluster; tests/integration has one",
    "communities show": "parts of one size stand in the order of their ids, which are drawn",
    "distribute": "its statements follow every migration; tests/integration holds them",
    "doctor": "it makes logins beside those of other tests",
    "erasures apply": "it needs a restored database; tests/cli has one",
    "eval answers": "benchmarks keep its figures",
    "eval retrieval": "benchmarks keep its figures",
    "import": "the exports say what a file holds, tests/integration that it comes back whole",
    "ingest": "it asks a worker, and the rows of each table say what it makes",
    "model check": "it needs a model",
    "model replay": "it needs conversations with a model",
    "nodes end-value": "the example space reads no attributes",
    "nodes restore-value": "the example space reads no attributes",
    "nodes uphold-value": "the example space reads no attributes",
    "sync": "it prints the folder of this machine",
    "golden add": "it needs a file of questions",
    "golden check": "it needs questions, which golden add brings",
    "golden run": "it needs questions, which golden add brings",
    "golden show": "it needs a run that a worker has asked",
    "trials promote": "it needs a trial that a worker has read",
    "trials show": "it needs a trial that a worker has read",
}
"""Commands with --json of which no file is kept, each with why."""


def commands(call: Call) -> Outputs:
    """What each of the commands prints as JSON."""
    printed: dict[str, str] = {}
    files: Outputs = {}
    for line in (*READING, *CHANGING):
        words = [
            re.sub(r"{(\w+)}", lambda match: _first_id(printed[IDS[match.group(1)]]), word)
            for word in shlex.split(line)
        ]
        name = " ".join(words[:2] if tuple(words[:2]) in COMMANDS else words[:1])
        printed[name] = call(*words, "--json")
        if name == "communities list":
            printed[name] = _first_communities(printed[name])
        files[f"commands/{name.replace(' ', '-')}.json"] = masked(printed[name])
    return files


def _first_communities(printed: str) -> str:
    """The three largest communities; those of one size stand in the order of their ids, which are drawn."""
    rows = json.loads(printed)
    rows.sort(key=lambda row: (row["level"], -row["member_count"], row["title"]))
    return json.dumps(rows[:3], indent=2, ensure_ascii=False) + "\n"


def _first_id(printed: str) -> str:
    """The id of the first row that a command printed, or of the one thing."""
    answer = json.loads(printed)
    while isinstance(answer, list) or "id" not in answer:
        answer = answer[0] if isinstance(answer, list) else next(iter(answer.values()))
    return str(answer["id"])


def row_counts(url: URL) -> Outputs:
    """How many rows each table of the database has."""
    with psycopg.connect(convert_to_conninfo(url)) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
            " AND relnamespace = 'public'::regnamespace ORDER BY relname"
        ).fetchall()
        counts = [
            (table, connection.execute(f"SELECT count(*) FROM {table}".encode())) for (table,) in tables
        ]
        return {"rows.txt": "".join(f"{table} {rows.fetchall()[0][0]}\n" for table, rows in counts)}


def exports(call: Call) -> Outputs:
    """The space of one document in each format."""
    return {
        f"exports/{format.value}.txt": masked(call("export", "--format", format.value, *shlex.split(SMALL)))
        for format in ExportFormat
    }

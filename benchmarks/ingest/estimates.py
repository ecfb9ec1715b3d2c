"""What an estimate foresees beside what a run through the model double really costs, by what the calls are
for.

Usage: python -m benchmarks estimates [--passages multihop_dev.json.gz]

examples/corpus, and up to 300 passages of each set of a question pack, each in two halves: the second comes
into a space that stands. Read, detected and summarised in this process, on embedded Postgres; nothing depends
on how fast.
"""

import argparse
import gzip
import json
import logging
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import structlog

from app.db.database import Database
from app.db.migrate import migrate
from app.derived.communities.job import detect_communities_and_write_reports
from app.derived.communities.scheduling import enqueue_detection_or_run_waiting_now
from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.derived.summaries.scheduling import enqueue_or_hasten_gate_evaluation_of_all_nodes
from app.documents import service as documents
from app.documents.format_detection import detect_format_or_refuse
from app.documents.shapes import Submission
from app.ids import SpaceId, TenantId
from app.ingest.estimate import estimate_ingest
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs.kinds import DetectCommunities, IngestDocuments, RefreshSummaries
from app.llm.client import ModelClient
from app.runtime.supervisor import EmbeddedServers
from app.sandbox.process_sandbox import InProcessSandbox
from app.settings import Settings
from app.wiring import open_database
from benchmarks.ingest.model import PROJECT, double
from benchmarks.place import new_space
from workers.runner import Runner

CORPUS = PROJECT / "examples" / "corpus"
MOST_PASSAGES = 300
LATER = ("summary", "community_report")
# So long that no job begins by itself.
NEVER = 86_400.0


def corpora(pack: Path | None) -> Iterator[tuple[str, list[Submission]]]:
    """(name, documents) of each."""
    files = [(path, path.read_bytes()) for path in sorted(CORPUS.iterdir())]
    yield (
        "examples/corpus",
        [Submission(raw, detect_format_or_refuse(path.name, None, raw), path.stem) for path, raw in files],
    )
    if pack is not None:
        for told in json.loads(gzip.decompress(pack.read_bytes()))["sets"]:
            passages = told["passages"][:MOST_PASSAGES]
            yield (
                told["name"],
                [Submission(passage["text"].encode(), "text", passage["title"]) for passage in passages],
            )


def measure(
    database: Database, settings: Settings, name: str, halves: Sequence[Sequence[Submission]], address: str
) -> None:
    """A new tenant's space; a line for what each half was foreseen to cost and costs, while and after it is
    read.
    """
    tenant, space_id = new_space(database, name)
    client = ModelClient(api_key="unused", base_url=address, model="double")
    extractors = Extractors(database, client)
    runner = Runner(
        database,
        settings,
        {
            IngestDocuments.kind: partial(ingest_documents, extractors=extractors),
            DetectCommunities.kind: partial(detect_communities_and_write_reports, client=client),
            RefreshSummaries.kind: partial(evaluate_changed_nodes_and_save_summaries, client=client),
        },
    )
    before: Counter[tuple[bool, int]] = Counter()
    for number, given in enumerate(halves, 1):
        told = estimate_ingest(database, (tenant, space_id), given, settings, InProcessSandbox())
        with database.open_space(tenant, space_id) as space:
            documents.submit_documents(space, given)
        runner.drain()
        with database.open_space(tenant, space_id) as space:
            enqueue_detection_or_run_waiting_now(space)
            enqueue_or_hasten_gate_evaluation_of_all_nodes(space)
        runner.drain()
        after = paid(database, tenant, space_id)
        for later, foreseen in (
            (False, (told.calls, told.prompt_tokens, told.completion_tokens)),
            (True, (told.later_calls, told.later_prompt_tokens, told.later_completion_tokens)),
        ):
            real = [after[later, part] - before[later, part] for part in range(3)]
            shown = "  ".join(f"{most:>8,} {cost:>8,}" for most, cost in zip(foreseen, real, strict=True))
            print(
                f"{name:<16} {number}  {told.chunk_tokens:>7,}  {'later' if later else 'reading':<8}{shown}"
            )
        before = after
    extractors.close()


def paid(database: Database, tenant: TenantId, space_id: SpaceId) -> Counter[tuple[bool, int]]:
    """What the space paid so far: calls, tokens sent and tokens received, for reports and summaries or
    before.
    """
    with database.open_space(tenant, space_id) as space:
        rows = space.connection.execute(
            "SELECT purpose, count(*), sum(prompt_tokens), sum(completion_tokens) FROM model_call"
            " WHERE NOT cached AND knowledge_space_id = %s GROUP BY 1",
            [space_id],
        ).fetchall()
    found: Counter[tuple[bool, int]] = Counter()
    for purpose, *costs in rows:
        found.update({(purpose in LATER, part): int(cost) for part, cost in enumerate(costs)})
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks estimates", description=__doc__)
    parser.add_argument("--passages", type=Path, help="a pack of passages, multihop_dev.json.gz")
    given = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServers(Path(folder) / "servers", valkey=False, keeps_data=False) as servers,
        double(0) as address,
    ):
        migrate(servers.postgres.url())
        settings = Settings(
            database_url=servers.postgres.url(user="citegraph_app"),
            redis_url="unused",
            openai_base_url=address,
            llm_model="double",
            community_delay=NEVER,
            summary_delay=NEVER,
        )
        assert settings.database_url is not None
        database = open_database(settings.database_url, settings)
        print("foreseen and real, of each half of the documents")
        print(f"{'documents':<16} half tokens  {'':<8}{'calls':>17}  {'tokens sent':>17}  {'received':>17}")
        for name, whole in corpora(given.passages):
            middle = len(whole) // 2
            measure(database, settings, name, (whole[:middle], whole[middle:]), address)
        database.dispose()


if __name__ == "__main__":
    main()

"""What becomes of extractions that a model made elsewhere: imported, grounded, counted.

Usage: python -m benchmarks.quality.imports multihop_dev.json.gz

Each set of the pack becomes a space with an open vocabulary on an embedded Postgres of its own; each of its
passages a document with its stored entities and triples. Prints, for every set, how many triples became edges
and why the others did not; an edge always has a quote that stands in its passage, which is counted again in
SQL.
"""

import argparse
import gzip
import json
import logging
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from app.db.database import Database
from app.db.migrate import migrate
from app.documents import service as documents
from app.documents.shapes import Submission
from app.ingest.extractor_choice import Extractors
from app.ingest.job import ingest_documents
from app.jobs import queue
from app.jobs.kinds import IngestDocuments
from app.runtime.supervisor import EmbeddedServers
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.wiring import open_database
from benchmarks.place import new_space
from workers.runner import Runner

DOCUMENTS_PER_JOB = 100
REASONS = {
    "not_in_text": "names refused, or not in the passage",
    "end_not_named": "triples with such an end",
    "no_quote": "triples whose ends are more than three sentences apart",
    "unknown_relation": "verbs without a form",
    "malformed": "malformed entries",
}


def as_document(passage: dict[str, Any], question: dict[str, Any]) -> Submission:
    """A passage with what the pack's extractor found in it."""
    found = question["extraction"].get(passage["id"], {})
    chunk = {
        "text": f"{passage['title']}\n{passage['text']}",
        "entities": found.get("entities", []),
        "triples": found.get("triples", []),
    }
    body = {"title": passage["title"], "extractor": question["extractor"], "chunks": [chunk]}
    return Submission(json.dumps(body).encode(), "extraction", passage["title"], source_uri=passage["id"])


def take_in(database: Database, settings: Settings, question: dict[str, Any]) -> tuple[Counter[str], int]:
    """The counts of the jobs that took a set in, and the edges whose quote does not stand in their
    passage.
    """
    tenant, space_id = new_space(database, question["name"], SpaceSettings(open_relations=True))
    submissions = [as_document(passage, question) for passage in question["passages"]]
    for begin in range(0, len(submissions), DOCUMENTS_PER_JOB):
        with database.open_space(tenant, space_id) as space:
            documents.submit_documents(space, submissions[begin : begin + DOCUMENTS_PER_JOB])
    ingest = partial(ingest_documents, extractors=Extractors(database))
    Runner(database, settings, {IngestDocuments.kind: ingest}).drain()
    counts: Counter[str] = Counter()
    with database.open_space(tenant, space_id) as space:
        for job in queue.list_jobs(space):
            assert job.state == "done", job.error_message
            counts.update(job.counts)
        row = space.connection.execute("SELECT count(*) FROM inspect_ungrounded_edges").fetchone()
    assert row is not None
    return counts, int(row[0])


def main() -> None:
    """Run and print a table, a column a set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    sets = json.loads(gzip.decompress(parser.parse_args().path.read_bytes()))["sets"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    columns: list[list[str]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServers(Path(folder) / "servers", valkey=False, keeps_data=False) as servers,
    ):
        migrate(servers.postgres.url())
        settings = Settings(
            database_url=servers.postgres.url(user="citegraph_app"),
            redis_url="unused",
            communities=False,
            summaries=False,
        )
        assert settings.database_url is not None
        database = open_database(settings.database_url, settings)
        for set_ in sets:
            triples = sum(len(found.get("triples", [])) for found in set_["extraction"].values())
            counts, ungrounded = take_in(database, settings, set_)
            columns.append(
                [
                    set_["name"],
                    f"{len(set_['passages']):,}",
                    f"{triples:,}",
                    f"{counts['edges']:,} ({100 * counts['edges'] / triples:.0f} %)",
                    f"{ungrounded:,}",
                    *(f"{counts[f'dropped_{reason}']:,}" for reason in REASONS),
                    f"{counts['nodes'] - counts['merges']:,}",
                ]
            )
        database.dispose()
    titles = [
        "",
        "passages",
        "triples",
        "edges",
        "edges whose quote is not in the passage",
        *REASONS.values(),
    ]
    for place, title in enumerate([*titles, "nodes"]):
        print("| " + " | ".join([title, *(column[place] for column in columns)]) + " |")
        if place == 0:
            print("|" + " --- |" * (len(columns) + 1))


if __name__ == "__main__":
    main()

"""Small documents about the same few people and systems, so that all writers meet at the same nodes."""

import random

from app.documents.shapes import Submission

PEOPLE = [
    "Ada Lovelace", "Charles Babbage", "Grace Hopper", "Michael Stonebraker", "Edgar Codd", "Barbara Liskov",
    "Donald Knuth", "Margaret Hamilton", "Alan Turing", "Frances Allen",
]  # fmt: skip
SYSTEMS = [
    "Ingres", "Postgres", "Db2", "SQLite", "DuckDB", "Redis", "Kafka", "Spark", "Hadoop", "Cassandra", "Neo4j",  # noqa: E501
    "MySQL", "ClickHouse", "Valkey",
]  # fmt: skip


def small_documents(count: int, *, seed: int = 7, sentences: int = 4) -> list[Submission]:
    """Different documents of a few sentences each; the same ones for the same seed."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        lines = []
        for _ in range(sentences):
            first, second = draw.sample(SYSTEMS, 2)
            lines.append(
                draw.choice(
                    (
                        f"{draw.choice(PEOPLE)} created {first}.",
                        f"{first} uses {second}.",
                        f"{first} was based on {second}.",
                    )
                )
            )
        body = "\n".join([*lines, f"This is note number {number}."])
        made.append(Submission(body.encode(), "text", f"Note {number}"))
    return made

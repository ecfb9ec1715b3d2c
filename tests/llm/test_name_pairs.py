"""Forty pairs of names, each from two documents: one thing or two, by rules and with a truthful model.

`data/name_pairs.json` holds them: one name of two things, two spellings of one thing, near names of two.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.db.database import Database
from app.graph.names import normalise_name
from app.ids import NodeId
from app.ingest.extractor_choice import Extractors
from app.ingest.model_double_answers import RulesAnswerer
from app.llm.client import ModelClient
from app.llm.prompts import entities
from app.llm.prompts.fence import parse_fenced_passages
from app.llm.testing import ModelDouble
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.support.ingest import make_runner, submit, text

PAIRS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "name_pairs.json").read_text("utf-8")
)


class Truthful(RulesAnswerer):
    """Knows what each text of the pairs is about, and which names are one thing."""

    def answer(self, messages: Sequence[Mapping[str, str]]) -> Mapping[str, Any] | str | None:
        """The truth about entities and pairs; as `rules` for any other prompt."""
        passages = [passage for message in messages for passage in parse_fenced_passages(message["content"])]
        system = messages[0]["content"]
        if passages and '"same"' in system:
            return {"passages": [_judged(number, passage) for number, passage in enumerate(passages, 1)]}
        if passages and '"entities"' in system:
            return {
                "passages": [
                    {"id": number, "entities": _named(*entities.parse_title_and_text(passage))}
                    for number, passage in enumerate(passages, 1)
                ]
            }
        return super().answer(messages)


def _named(_title: str, body: str) -> list[dict[str, Any]]:
    return [
        {"name": side["name"], "type": side["type"], "aliases": [], "sense": side["sense"]}
        for pair in PAIRS
        for side in (pair["a"], pair["b"])
        if side["text"] == body
    ]


def _judged(number: int, passage: str) -> dict[str, Any]:
    asked = {normalise_name(thing["name"]) for thing in json.loads(passage).values()}
    same = any(
        pair["same"] and asked == {normalise_name(pair[side]["name"]) for side in "ab"} for pair in PAIRS
    )
    return {"id": number, "same": same, "confidence": 0.95, "reason": ""}


@dataclass
class Score:
    """How often each of right, wrong, missed and unread came, and which pairs were not right."""

    counts: Counter[str]
    others: list[str]

    def told(self) -> str:
        """All of it in one line."""
        return f"{dict(self.counts)} {'; '.join(sorted(self.others))}"


def measure(database: Database, settings: Settings, extractors: Extractors) -> Score:
    """Ingest each pair into a space of its own and compare the nodes with the truth."""
    score = Score(Counter(), [])
    homes = []
    for number, pair in enumerate(PAIRS):
        home = make_home(database, f"pairs-{number}")
        for side in "ab":
            submit(database, home, text(pair[side]["text"], title=pair[side]["title"], source_uri=side))
        homes.append(home)
    make_runner(database, settings, extractors=extractors).drain()
    for pair, home in zip(PAIRS, homes, strict=True):
        a, b = (nodes_of(database, home, side, pair[side]["name"]) for side in "ab")
        verdict = judged(pair["same"], a, b)
        score.counts[verdict] += 1
        if verdict != "right":
            score.others.append(f"{verdict}: {pair['a']['name']} / {pair['b']['name']}")
    return score


def judged(same: bool, a: set[NodeId], b: set[NodeId]) -> str:
    """Wrong is what was joined and is two things; missed what is one thing and was not joined."""
    if not a or not b:
        return "unread"
    if bool(a & b) == same:
        return "right"
    return "missed" if same else "wrong"


def nodes_of(database: Database, home: Home, source_uri: str, name: str) -> set[NodeId]:
    """The nodes that the document at this address names so."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = space.connection.execute(
            "SELECT m.node_id, m.surface_form, m.name FROM node_mention m"
            " JOIN knowledge_chunk c ON c.knowledge_space_id = m.knowledge_space_id AND c.id = m.chunk_id"
            " JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id"
            " WHERE m.knowledge_space_id = %s AND d.source_uri = %s",
            [home.space_id, source_uri],
        ).fetchall()
    return {NodeId(row[0]) for row in rows if normalise_name(name) in map(normalise_name, row[1:])}


@pytest.fixture
def client() -> Iterator[ModelClient]:
    with ModelDouble(Truthful()) as double:
        made = ModelClient(api_key="unused", base_url=double.base_url, model="double")
        yield made
        made.close()


@pytest.mark.soak
def test_by_rules(database: Database, settings: Settings) -> None:
    score = measure(database, settings, Extractors(database))
    assert score.counts["wrong"] == 0, score.told()
    assert score.counts["right"] >= 30, score.told()


@pytest.mark.soak
def test_with_a_model_that_tells_the_truth(
    database: Database, settings: Settings, client: ModelClient
) -> None:
    score = measure(database, settings, Extractors(database, client))
    assert score.counts["wrong"] == 0, score.told()
    assert score.counts["right"] >= 37, score.told()

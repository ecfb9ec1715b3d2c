"""docs/api.md: every example is run against a real server, and the table of limits says what the code
says.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.documents import service as documents
from app.graph import service as graph
from app.graph.write import merges, splits
from app.ids import DocumentId, NodeId
from tests.api.conftest import OPERATOR_KEY, Account, World, open_account
from tests.support.api_samples import EXAMPLE, answers_in, bodies_of, differences, is_true, sample_of
from tests.support.ingest import make_runner, submit
from tests.support.ingest import text as text_document

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


@pytest.mark.needs("curl")
def test_every_example_works(world: World, address: tuple[str, int], tmp_path: Path) -> None:
    account = open_account(world.citegraph, world.http, "D")
    (tmp_path / "README.md").write_text("# Read me\n\nAda Lovelace knows Charles Babbage.\n")
    split, merge = split_and_merge_of_two_more(world, account)
    old_space = world.http.post("/v1/spaces", headers=account.bearer("admin"), json={"name": "old"})
    variables = {
        "URL": f"http://{address[0]}:{address[1]}",
        "OPERATOR_KEY": OPERATOR_KEY,
        "KEY": account.keys["full"],
        "TENANT": str(account.tenant_id),
        "SPACE": str(account.space_id),
        "OLD_SPACE": old_space.json()["id"],
        "DOCUMENT": str(account.document_id),
        "JOB": str(account.job_id),
        "NODE": str(account.node_id),
        "EDGE": str(account.edge_id),
        "CHUNK": str(account.chunk_id),
        "COMMUNITY": str(account.community_id),
        "RUN": str(account.run_id),
        "WEBHOOK": str(account.webhook_id),
        "DELIVERY": str(account.delivery_id),
        "SPLIT": str(split),
        "OTHER": str(account.other_id),
        "MERGE": str(merge),
    }
    guide = GUIDE.read_text()
    examples = {match["script"]: match["answers"] for match in EXAMPLE.finditer(guide)}
    assert len(examples) >= 7
    answers: dict[str, list[Any]] = {}
    # The example that deletes the document runs last.
    for example in sorted(examples, key=lambda text: 'DELETE "$URL/v1/spaces/$SPACE/documents' in text):
        script = 'curl() { command curl --noproxy "*" --fail-with-body -sS "$@"; echo; }\n' + example
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env={"PATH": os.environ["PATH"], **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, example + done.stdout + done.stderr
        answers[example] = answers_in(done.stdout)
    if "CITEGRAPH_WRITE_DOCS" in os.environ:
        GUIDE.write_text(EXAMPLE.sub(lambda match: with_answers(match, answers[match["script"]]), guide))
        return
    for example, block in examples.items():
        real = [answer for answer in answers[example] if sample_of([answer])]
        shown = bodies_of(block or "")
        assert len(shown) == len(real), f"{example}\n`make docs` writes the answers anew"
        for one, other in zip(shown, real, strict=True):
            assert differences(one, other) == [], f"{example}\n`make docs` writes the answers anew"


def test_every_query_parameter_in_the_text_exists(world: World) -> None:
    """`in_force=false` in a sentence is a parameter of some call (requirement 17.2)."""
    paths = world.http.get("/openapi.json").json()["paths"]
    declared_names = {
        parameter["name"]
        for operations in paths.values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    }
    named = set(re.findall(r"[`?&]([a-z_]+)=", GUIDE.read_text()))
    assert {"in_force", "prune", "cursor"} <= named
    assert named <= declared_names


def test_the_lists_that_are_plain_arrays_are_named(world: World) -> None:
    """All other lists are an object with `items` (requirement 18.3)."""
    array_paths = {
        path
        for path, operations in world.http.get("/openapi.json").json()["paths"].items()
        if "get" in operations
        and operations["get"]["responses"]["200"]["content"]
        .get("application/json", {})
        .get("schema", {})
        .get("type")
        == "array"
    }
    endings = re.search(r"a plain array: (.*?)\.\n", GUIDE.read_text(), re.DOTALL)
    assert endings is not None
    named = re.findall(r"`…?([^`]+)`", endings[1])
    assert len(named) == len(array_paths)
    assert all(sum(path.endswith(ending) for ending in named) == 1 for path in array_paths)


def with_answers(example: re.Match[str], answers: list[Any]) -> str:
    """The example with what it answered, unless what stands there has the same fields already."""
    if is_true(example["answers"] or "", answers):
        return example[0]
    return f"```sh\n{example['script']}```\n{sample_of(answers)}"


def split_and_merge_of_two_more(world: World, account: Account) -> tuple[UUID, UUID]:
    """Two more documents name the node of the examples; one of them means somebody else. Two others are
    one.
    """
    database = world.citegraph.database
    texts = [
        text_document(f"Michael Stonebraker knows {who}.", title=who) for who in ("Ada Byron", "Eugene Wong")
    ]
    submit(database, account.home, texts[0])
    submit(database, account.home, texts[1])
    make_runner(database, world.citegraph.settings).drain()
    with database.open_space(account.home.tenant_id, account.home.space_id) as space:
        other = next(
            document for document in documents.list_documents(space) if document.title == "Ada Byron"
        )
        split = splits.split_node_by_person(
            space, NodeId(account.node_id), "sailor", document_ids=[DocumentId(other.id)], actor="test"
        )
        ends = [graph.find_nodes(space, name)[0].id for name in ("Ada Byron", "Ada Lovelace")]
        return split.id, merges.merge_nodes_by_person(space, ends[0], ends[1], actor="test").id

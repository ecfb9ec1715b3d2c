"""The embedding model over HTTP: the dry run, the job, and every refusal with its code."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from app.llm.embedding.hashed import HashedEmbedder
from tests.api.conftest import Account, World

SHORT = "short-ngrams-64"


class ShortEmbedder:
    """A local model of its own: hashed n-grams, cut."""

    model, dimensions = SHORT, 64

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = HashedEmbedder().embed(texts)[:, :64] + np.float32(1e-3)
        scaled: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return scaled


@pytest.fixture
def short(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(world.citegraph.embedders._local_embedders, SHORT, ShortEmbedder())


def test_a_dry_run_and_then_the_job(world: World, guest: Account, short: None) -> None:
    url = f"{guest.space}/embedding"
    plan = world.http.get(f"{url}?model={SHORT}", headers=guest.bearer("read")).json()
    assert (plan["from_dimensions"], plan["dimensions"], plan["unchanged"]) == (256, 64, False)
    assert world.http.get(url, headers=guest.bearer("read")).json()["unchanged"] is True
    asked = world.http.post(url, headers=guest.bearer("admin"), json={"model": SHORT})
    assert (asked.status_code, asked.json()["kind"]) == (202, "embedding.change")
    twice = world.http.post(url, headers=guest.bearer("admin"), json={"model": SHORT, "dimensions": 64})
    assert twice.json()["id"] == asked.json()["id"]
    job = world.http.get(f"{guest.space}/jobs/{asked.json()['id']}", headers=guest.bearer("read")).json()
    assert job["state"] == "queued"
    cancelled = world.http.post(f"{guest.space}/jobs/{job['id']}/cancel", headers=guest.bearer("write"))
    assert cancelled.json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"model": "hashed-ngrams-256"}, 409, "embedding_unchanged"),
        ({"model": "unheard-of", "dimensions": 8}, 422, "model_not_offered"),
        ({"model": SHORT, "dimensions": 65}, 422, "embedding_dimensions"),
        ({"model": SHORT, "dimensions": 4_001}, 422, "invalid_input"),
        ({}, 422, "invalid_input"),
    ],
)
def test_an_invalid_change_of_embedding_is_refused(
    world: World, guest: Account, short: None, body: dict[str, object], status: int, code: str
) -> None:
    refused = world.http.post(f"{guest.space}/embedding", headers=guest.bearer("admin"), json=body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)


def test_only_who_administers_may_change_it(world: World, guest: Account, short: None) -> None:
    for scope in ("read", "write"):
        refused = world.http.post(
            f"{guest.space}/embedding", headers=guest.bearer(scope), json={"model": SHORT}
        )
        assert refused.status_code == 403
